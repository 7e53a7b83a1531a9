public import Cabinet

extension CloudKitRequestHandler {
    /// Saves and deletes records, with a `records/modify` for each zone.
    public func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        try refuseTransaction(request.isOfTransaction)
        if request.hasEntries || request.isOfMigration {
            throw CabinetError(.serverRejectedRequest, "CloudKit Web Services stores records alone.")
        }
        var saves: [RecordID: Result<Record, CabinetError>] = [:]
        var failures = request.refusals
        let changes = request.recordsToSave.map(Change.save) + request.recordIDsToDelete.map(Change.delete)
        for (zoneID, changes) in Dictionary(grouping: changes, by: \.id.zoneID) {
            let sent = changes.filter { request.refusals[$0.id] == nil }
            if request.isAtomic, sent.count < changes.count {
                for change in sent { failures[change.id] = Self.failedWithOther }
                continue
            }
            // A batch that does not fit a request cannot be atomic.
            guard !request.isAtomic || sent.count <= CloudKitEndpoint.maximumCount else {
                throw CabinetError(
                    .limitExceeded,
                    "A batch for CloudKit has at most \(CloudKitEndpoint.maximumCount) records, and this one has \(sent.count)."
                )
            }
            for part in Self.parts(of: sent) {
                for (id, result) in try await send(Array(part), in: zoneID, request) {
                    switch result {
                    case .success(let record?): saves[id] = .success(record)
                    case .success(nil): break
                    case .failure(let error): failures[id] = error
                    }
                }
            }
        }
        return .init(
            request.recordsToSave.map { record in
                failures[record.recordID].map(Result.failure) ?? saves[record.recordID]
                    ?? .failure(
                        CabinetError(.internalError, "The server left the record out.", recordID: record.recordID))
            }, request.recordIDsToDelete.map { failures[$0] })
    }

    private static let failedWithOther = CabinetError(
        .batchRequestFailed, "Another record of the batch failed, so this one was not saved.")

    private enum Change {
        case save(Record)
        case delete(RecordID)

        var id: RecordID {
            switch self {
            case .save(let record): record.recordID
            case .delete(let id): id
            }
        }
    }

    /// Sends changes of a zone; a deletion that succeeded has no record.
    private func send(
        _ changes: [Change], in zoneID: RecordZone.ID, _ request: ModifyRecordsRequest
    ) async throws -> [(RecordID, Result<Record?, CabinetError>)] {
        let root = try await send(.recordsModify, to: request.scope, items: "records") { writer throws(CabinetError) in
            try writer.member("operations", changes) { writer, change throws(CabinetError) in
                switch change {
                case .save(let record): try write(record, request.savePolicy, to: &writer)
                case .delete(let id):
                    try writer.object { writer throws(CabinetError) in
                        writer.member("operationType", "forceDelete")
                        try writer.member("record") { writer in writer.member("recordName", id.recordName) }
                    }
                }
            }
            try writer.zone(zoneID, userRecordName)
            writer.member("atomic", request.isAtomic && zoneID.zoneName != RecordZone.ID.defaultZoneName)
        }
        let reader = reader(zoneID)
        var results: [(RecordID, Result<Record?, CabinetError>)] = []
        for (item, change) in zip(try Self.items(root, "records", count: changes.count), changes) {
            if item["recordType"] == nil, try item["deleted"]?.bool() == true {
                results.append((change.id, .success(nil)))
            } else {
                results.append((change.id, try reader.result(item, of: change.id).map(Optional.some)))
            }
        }
        return try await addingServerRecords(to: results, request.scope)
    }

    /// Fetches the server's records of conflicts; Apple's answer lacks them.
    private func addingServerRecords(
        to results: [(RecordID, Result<Record?, CabinetError>)], _ scope: DatabaseScope
    ) async throws -> [(RecordID, Result<Record?, CabinetError>)] {
        var lookup = FetchRecordsRequest(in: scope)
        lookup.recordIDs = results.compactMap { id, result in
            guard case .failure(let error) = result, error.code == .serverRecordChanged, error.conflict == nil else {
                return nil
            }
            return id
        }
        if lookup.recordIDs.isEmpty { return results }
        let found = try await response(to: lookup).results
        let records = Dictionary(zip(lookup.recordIDs, found)) { first, _ in first }
        return results.map { id, result in
            guard case .failure(var error) = result, let record = records[id]?.record else { return (id, result) }
            error.setServerRecord(record)
            return (id, .failure(error))
        }
    }

    private func write(
        _ record: Record, _ policy: RecordSavePolicy, to writer: inout JSONWriter
    ) throws(CabinetError) {
        let tag = record.recordChangeTag
        let isForced = policy != .ifServerRecordUnchanged
        let changed = record.fetched == nil ? record.fields.names.names : record.changedKeys()
        let keys = Set(policy == .allKeys ? changed + record.allKeys() : changed)
        let sendsParent = record.parent != record.fetched?.parent || policy == .allKeys && record.parent != nil
        try writer.object { writer throws(CabinetError) in
            writer.member("operationType", isForced ? "forceUpdate" : tag == nil ? "create" : "update")
            try writer.member("record") { writer throws(CabinetError) in
                writer.member("recordName", record.recordID.recordName)
                writer.member("recordType", record.recordType)
                if let tag, !isForced { writer.member("recordChangeTag", tag) }
                if sendsParent {
                    writer.key("parent")
                    if let parent = record.parent {
                        try writer.object { writer in writer.member("recordName", parent.recordID.recordName) }
                    } else {
                        writer.writeNull()
                    }
                }
                try writer.member("fields") { writer throws(CabinetError) in
                    for key in keys.sorted() {
                        writer.key(key)
                        if let value = record.fields[key] {
                            try Self.check(value, of: key)
                            try values.write(value, to: &writer)
                        } else {
                            try writer.object { _ in }
                        }
                    }
                }
            }
        }
    }

    /// Refuses a delete rule that CloudKit lacks.
    private static func check(_ value: FieldValue, of key: Record.FieldKey) throws(CabinetError) {
        let references: [Reference] =
            switch value {
            case .reference(let reference): [reference]
            case .list(.reference(let references)): references
            default: []
            }
        if references.contains(where: { $0.action == .nullify }) {
            throw CabinetError(
                .invalidArguments, "CloudKit has no delete rule 'nullify'. Use none, deleteSelf or deny.", fieldKey: key
            )
        }
    }
}
