import Cabinet
import Synchronization

/// What a broken backend remembers and should have forgotten.
final class MutantMemory: Sendable {
    struct State {
        /// References of records in removed zones.
        var references: [StoredReference] = []
        /// The last number of a notification with a replacement key.
        var replacements: [String: Int64] = [:]
        /// The types that the transaction under way has added.
        var addedTypes: Set<Record.RecordType> = []
        /// The types that rolled-back transactions added.
        var undoneTypes: Set<Record.RecordType> = []
        /// How many numbers the transaction under way has reserved.
        var reserved: Int64 = 0
        /// How many numbers rolled-back transactions reserved.
        var undoneNumbers: Int64 = 0
        var openSnapshots = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    func withLock<Result>(_ body: (inout State) throws -> sending Result) rethrows -> sending Result {
        try state.withLock { state in try body(&state) }
    }

    /// Ends a transaction.
    func end(isUndone: Bool) {
        withLock { state in
            if isUndone {
                state.undoneTypes.formUnion(state.addedTypes)
                state.undoneNumbers += state.reserved
            }
            state.addedTypes = []
            state.reserved = 0
        }
    }
}
