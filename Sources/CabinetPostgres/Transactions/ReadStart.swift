import Synchronization

/// The beginning of a read whose snapshot may not be taken yet, with the writes that it must not include.
final class ReadStart: Sendable {
    private let firstExcluded = Atomic<Int64>(.max)

    /// Excludes a write, and all later ones, from the snapshot.
    func exclude(_ number: Int64) { firstExcluded.min(number, ordering: .acquiringAndReleasing) }

    /// Returns whether the read may use a snapshot that includes this number of writes.
    func allows(_ writes: Int64) -> Bool { writes < firstExcluded.load(ordering: .acquiring) }
}
