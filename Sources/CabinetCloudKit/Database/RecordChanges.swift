import Cabinet
import Foundation

/// The results of a request to save and delete records, in the order of its items.
struct ModifyOutcome: Sendable {
    var saves: [(record: CKRecord, result: Result<CKRecord, any Error>)] = []
    var deletes: [(id: CKRecord.ID, result: Result<Void, any Error>)] = []

    /// The failures by record ID.
    var failures: [AnyHashable: any Error] {
        var failures: [AnyHashable: any Error] = [:]
        for case (let record, .failure(let error)) in saves { failures[record.recordID] = error }
        for case (let id, .failure(let error)) in deletes { failures[id] = error }
        return failures
    }
}

/// A request to save and delete records.
struct RecordChanges: Sendable {
    var saves: [CKRecord] = []
    var deletes: [CKRecord.ID] = []
    var savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged
    var isAtomic = true
    var progress: (@Sendable (AssetProgress) -> Void)?

    var isEmpty: Bool { saves.isEmpty && deletes.isEmpty }

    /// Divides the request into one of the default zone, which CloudKit does not change atomically, and the rest.
    var dividedAsInCloudKit: [RecordChanges] {
        guard isAtomic else { return [self] }
        var (first, rest) = (self, self)
        first.isAtomic = false
        first.saves = saves.filter { $0.value.recordID.zoneID == .default }
        first.deletes = deletes.filter { $0.value.zoneID == .default }
        rest.saves = saves.filter { $0.value.recordID.zoneID != .default }
        rest.deletes = deletes.filter { $0.value.zoneID != .default }
        return [first, rest].filter { !$0.isEmpty }
    }
}

extension CKDatabase {
    /// Saves and deletes records, and updates the objects that were saved.
    func modify(_ changes: RecordChanges) async throws -> ModifyOutcome {
        try await CKError.translate {
            let store = try store()
            var outcome = ModifyOutcome()
            for part in store.rules.isOn ? changes.dividedAsInCloudKit : [changes] {
                try await part.apply(to: store, &outcome)
            }
            return outcome
        }
    }
}

extension RecordChanges {
    fileprivate func apply(to store: CKDatabase.Store, _ outcome: inout ModifyOutcome) async throws {
        let sent = saves.map(\.value)
        // The objects of other zones than a failed one take their new change tags.
        let results = try await store.database.itemResults(
            saving: sent, deleting: deletes.map(\.value), savePolicy: RecordSavePolicy(savePolicy),
            atomically: isAtomic,
            progress: progress)
        for (record, sent) in zip(saves, sent) {
            let result = results.saveResults[sent.recordID] ?? .failure(CabinetError(.internalError, "No result."))
            if case .success(let saved) = result { record.adopt(saved, sent: sent, of: store.user) }
            outcome.saves.append((record, result.translated(client: record, of: store.user) { _ in record }))
        }
        for id in deletes {
            let result = results.deleteResults[id.value] ?? .failure(CabinetError(.internalError, "No result."))
            outcome.deletes.append((id, result.translated { $0 }))
        }
    }
}

extension RecordSavePolicy {
    fileprivate init(_ policy: CKModifyRecordsOperation.RecordSavePolicy) {
        switch policy {
        case .ifServerRecordUnchanged: self = .ifServerRecordUnchanged
        case .changedKeys: self = .changedKeys
        case .allKeys: self = .allKeys
        }
    }
}
