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
        /// The zones of the records that the current transaction has inserted.
        var usedZones: Set<RecordZone.ID> = []
        /// The zones that rolled-back transactions used, each with the zone that was used next.
        var rolledBackZones: [RecordZone.ID: RecordZone.ID?] = [:]
        /// The records of each type that were stored when its indexes were dropped.
        var indexedRecords: [Record.RecordType: Set<RecordID>] = [:]
        /// The pages of searches, by their filters.
        var searchedPages: [Filter: [StoredRecord]] = [:]
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
                case .insert(let record):
                    let zoneID = record.recordID.zoneID
                    state.usedZones.insert(zoneID)
                    state.rolledBackZones = state.rolledBackZones.mapValues { $0 ?? zoneID }
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
                for zoneID in state.usedZones { state.rolledBackZones[zoneID] = .some(nil) }
            }
            state.addedTypes = []
            state.setEntries = []
            state.usedZones = []
        }
    }
}
