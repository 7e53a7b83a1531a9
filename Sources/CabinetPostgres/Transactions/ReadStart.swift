import Synchronization

/// The beginning of a read whose snapshot may still have to be taken, and the writes that must not be in it.
final class ReadStart: Sendable {
    private let firstExcluded = Atomic<Int64>(.max)

    /// Excludes a write, and all that follow it, from the snapshot.
    func exclude(_ number: Int64) { firstExcluded.min(number, ordering: .acquiringAndReleasing) }

    /// Whether a snapshot in which so many writes were committed may be that of the read.
    func allows(_ writes: Int64) -> Bool { writes < firstExcluded.load(ordering: .acquiring) }
}
