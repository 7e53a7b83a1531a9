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

    /// The number of items.
    var count: Int { saves.count + deletes.count }

    /// Divides the request into one of the shares that the server may have, and the rest.
    ///
    /// A share is saved only if the server has the same version, under every policy: another version has other participants.
    var dividedByShares: [RecordChanges] {
        guard savePolicy != .ifServerRecordUnchanged else { return [self] }
        var (shares, rest) = (RecordChanges(isAtomic: isAtomic, progress: progress), self)
        shares.saves = saves.filter(\.isShareOfServer)
        rest.saves = saves.filter { !$0.isShareOfServer }
        return [shares, rest].filter { !$0.isEmpty }
    }

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

extension CKRecord {
    /// Whether the record is a share that the server may have already; the others are new ones of a record.
    fileprivate var isShareOfServer: Bool {
        guard recordType == SystemType.share else { return false }
        return recordChangeTag != nil || recordID.recordName == CKRecordNameZoneWideShare
    }
}

extension CKDatabase {
    /// Saves and deletes records, and updates the objects that were saved.
    func modify(_ changes: RecordChanges) async throws -> ModifyOutcome {
        try await CKError.translate {
            let store = try store()
            var parts = changes.dividedByShares
            if store.rules.isOn { parts = parts.flatMap(\.dividedAsInCloudKit) }
            // The store counts the items of each part, and the limit is one of the whole request.
            if parts.count > 1, let limit = store.itemLimit, changes.count > limit {
                throw CKError(
                    .limitExceeded,
                    "The request has \(changes.count) items; the limit is \(limit). Split it in half and send both.")
            }
            var outcome = ModifyOutcome()
            for (index, part) in parts.enumerated() {
                let part = part.isAtomic ? part.withoutFailedZones(&outcome) : part
                if part.isEmpty { continue }
                do {
                    try await part.apply(to: store, &outcome)
                } catch  where index > 0 {
                    // The earlier parts were committed, so this is a failure of the remaining items.
                    part.fail(with: CKError.translating(error), &outcome)
                }
            }
            return outcome
        }
    }
}

extension RecordChanges {
    /// Returns the part without the zones in which a share was not saved, whose items fail with it.
    fileprivate func withoutFailedZones(_ outcome: inout ModifyOutcome) -> RecordChanges {
        var zones: Set<RecordZone.ID> = []
        for case (let record, .failure) in outcome.saves where record.recordType == CKRecord.SystemType.share {
            zones.insert(record.value.recordID.zoneID)
        }
        if zones.isEmpty { return self }
        var (failed, rest) = (self, self)
        failed.saves = saves.filter { zones.contains($0.value.recordID.zoneID) }
        failed.deletes = deletes.filter { zones.contains($0.value.zoneID) }
        rest.saves = saves.filter { !zones.contains($0.value.recordID.zoneID) }
        rest.deletes = deletes.filter { !zones.contains($0.value.zoneID) }
        let error = CKError(
            .batchRequestFailed, "The share of the same atomic batch was not saved, so nothing of its zone was.")
        failed.fail(with: error, &outcome)
        return rest
    }

    /// Adds a failure of each item to the outcome.
    fileprivate func fail(with error: any Error, _ outcome: inout ModifyOutcome) {
        outcome.saves += saves.map { ($0, .failure(error)) }
        outcome.deletes += deletes.map { ($0, .failure(error)) }
    }

    fileprivate func apply(to store: CKDatabase.Store, _ outcome: inout ModifyOutcome) async throws {
        for record in saves { record.resolveUser(store.user) }
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
