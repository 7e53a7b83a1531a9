public import Cabinet
import Synchronization

/// The progress of a copy.
public struct CopyProgress: Sendable, Hashable {
    /// The phase of a copy.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Copies the content that the target lacks.
        case copying
        /// Reads both databases and compares them.
        case verifying
    }

    /// The database being copied.
    public let database: DatabaseKey

    /// The number of the database among those of the store, from 1.
    public var databaseNumber = 1

    /// The number of the store's databases, including empty ones.
    public var databaseCount = 1

    /// The current phase.
    public var phase = Phase.copying

    /// The number of the database's records that are copied or compared, including those of an earlier copy.
    public var completedRecords = 0

    /// The number of the database's records.
    public var totalRecords = 0

    /// The number of the database's assets that are copied, or compared.
    public var completedAssets = 0

    /// The number of the database's assets.
    public var totalAssets = 0

    /// The number of the assets' bytes that are copied, or compared.
    public var completedBytes: Int64 = 0

    /// The number of the assets' bytes.
    public var totalBytes: Int64 = 0

    /// Creates the progress of a copy that has not begun, to test a program's progress handler.
    ///
    /// - Parameter database: The database being copied.
    public init(database: DatabaseKey) {
        self.database = database
    }

    func numbered(_ number: Int, of count: Int) -> CopyProgress {
        var copy = self
        (copy.databaseNumber, copy.databaseCount) = (number, count)
        return copy
    }
}

extension CopyProgress: CustomStringConvertible {
    /// The numbers in a line: `1 of 2, the public database, copying: 400 of 1000 records, 3 of 7 assets, 300 of 900 bytes`.
    public var description: String {
        "\(databaseNumber) of \(databaseCount), \(database), \(phase.rawValue): \(completedRecords) of \(totalRecords) records, "
            + "\(completedAssets) of \(totalAssets) assets, \(completedBytes) of \(totalBytes) bytes"
    }
}

/// Counts the progress of a pass, and reports it.
final class CopyMeter: Sendable {
    private struct State {
        var progress: CopyProgress
        var counts = CopyCounts()
        var isCounting = false
    }

    private let state: Mutex<State>
    private let report: (@Sendable (CopyProgress) -> Void)?

    init(database: DatabaseKey, progress: (@Sendable (CopyProgress) -> Void)?) {
        state = Mutex(State(progress: CopyProgress(database: database)))
        report = progress
    }

    /// Returns whether there is a progress handler, and the items to copy were not counted yet.
    func beginCounting() -> Bool {
        state.withLock { state in
            defer { state.isCounting = true }
            return report != nil && !state.isCounting
        }
    }

    var counts: CopyCounts { state.withLock(\.counts) }

    /// Adds committed items.
    func count(_ counts: CopyCounts) {
        state.withLock { $0.counts.add(counts) }
        let difference = counts.newRecords - counts.removedRecords
        if difference != 0 { advance { $0.completedRecords += difference } }
    }

    /// Changes the progress, and reports it.
    func advance(_ body: (inout CopyProgress) -> Void) {
        guard let report else { return }
        let progress = state.withLock { state in
            body(&state.progress)
            // Other writers may have saved since the records were counted.
            state.progress.totalRecords = max(state.progress.totalRecords, state.progress.completedRecords)
            state.progress.totalAssets = max(state.progress.totalAssets, state.progress.completedAssets)
            state.progress.totalBytes = max(state.progress.totalBytes, state.progress.completedBytes)
            return state.progress
        }
        report(progress)
    }

    /// Starts a phase.
    func begin(_ phase: CopyProgress.Phase) {
        advance { progress in
            progress.phase = phase
            (progress.completedRecords, progress.completedAssets, progress.completedBytes) = (0, 0, 0)
        }
    }
}
