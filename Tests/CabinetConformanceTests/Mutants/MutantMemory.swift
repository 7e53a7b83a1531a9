import Cabinet
import Synchronization

/// State that a broken backend remembers and should have forgotten.
final class MutantMemory: Sendable {
    struct State {
        /// References of records in erased zones.
        var references: [StoredReference] = []
        /// The types that the current transaction has added.
        var addedTypes: Set<Record.RecordType> = []
        /// The types that rolled-back transactions added.
        var rolledBackTypes: Set<Record.RecordType> = []
        /// The keys of the entries that the current transaction has set.
        var setEntries: Set<StorageKey> = []
        /// The keys of the entries that rolled-back transactions set.
        var rolledBackEntries: Set<StorageKey> = []
        var openSnapshots = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    func withLock<Result>(_ body: (inout State) throws -> sending Result) rethrows -> sending Result {
        try state.withLock { state in try body(&state) }
    }

    /// Records the additions of the current transaction.
    func record(_ mutations: [StorageMutation]) {
        withLock { state in
            for mutation in mutations {
                switch mutation {
                case .addFields(_, let recordType): state.addedTypes.insert(recordType)
                case .setEntry(let key, _): state.setEntries.insert(key)
                default: break
                }
            }
        }
    }

    /// Ends a transaction.
    func end(isUndone: Bool) {
        withLock { state in
            if isUndone {
                state.rolledBackTypes.formUnion(state.addedTypes)
                state.rolledBackEntries.formUnion(state.setEntries)
            }
            state.addedTypes = []
            state.setEntries = []
        }
    }
}
