public import Cabinet

extension CloudKitRequestHandler {
    /// Saves and deletes records, with a `records/modify` for each zone.
    public func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        if request.isOfTransaction { throw Self.noTransactions }
        try Self.refuse(request)
        let request = ownerRule.canonical(request)
        try request.validate()
        var saves: [RecordID: Result<Record, CabinetError>] = [:]
        var failures = request.refusals
        for record in request.recordsToSave {
            // JSON lacks some values, which a server would not see.
            let violation = ValueRule.violation(in: record) ?? Self.violation(in: record)
            failures[record.recordID] = failures[record.recordID] ?? violation
        }
        let (values, missing) = try await uploadedValues(of: request, failures)
        if !missing.isEmpty { return .init([], [], missingAssets: missing) }
        let changes = request.recordsToSave.map(RecordChange.save) + request.recordIDsToDelete.map(RecordChange.delete)
        var deleted: Set<RecordID> = []
        do {
            for (zoneID, changes) in Self.zones(of: changes, by: \.id.zoneID) {
                let sent = changes.filter { failures[$0.id] == nil }
                if request.isAtomic, sent.count < changes.count {
                    for change in sent { failures[change.id] = Self.failedWithOther }
                    continue
                }
                // A batch that does not fit a request cannot be atomic.
                guard !request.isAtomic || sent.count <= CloudKitEndpoint.maximumCount else {
                    throw CabinetError(
                        .limitExceeded,
                        "CloudKit Web Services has at most \(CloudKitEndpoint.maximumCount) records in an atomic batch, and this one has \(sent.count)."
                    )
                }
                let shares = sent.filter(\.sharesRoot)
                for part in sent.filter({ !$0.sharesRoot }).parts(of: CloudKitEndpoint.maximumCount) {
                    for (id, result) in try await send(Array(part), in: zoneID, request, values) {
                        switch result {
                        case .success(let record?): saves[id] = .success(record)
                        case .success(nil): deleted.insert(id)
                        case .failure(let error): failures[id] = error
                        }
                    }
                }
                if !shares.isEmpty {
                    let results = try await saveShares(
                        shares, in: zoneID, request, values, after: saves,
                        isFailed: changes.contains { failures[$0.id] != nil })
                    for (id, result) in results {
                        switch result {
                        case .success(let record): saves[id] = .success(record)
                        case .failure(let error): failures[id] = error
                        }
                    }
                }
            }
        } catch let error as CabinetError where !(saves.isEmpty && deleted.isEmpty) {
            // The server has made the changes of the earlier requests.
            for id in changes.map(\.id) where saves[id] == nil && !deleted.contains(id) {
                failures[id] = failures[id] ?? error
            }
        }
        return .init(
            request.recordsToSave.map { record in
                failures[record.recordID].map(Result.failure) ?? saves[record.recordID]
                    ?? .failure(
                        CabinetError(.internalError, "The server left the record out.", recordID: record.recordID))
            }, request.recordIDsToDelete.map { failures[$0] })
    }

    /// Refuses what CloudKit has no request for.
    private static func refuse(_ request: ModifyRecordsRequest) throws(CabinetError) {
        let part: String? =
            if request.hasEntries || request.isOfMigration {
                "stores records alone."
            } else if request.asksForPosition {
                "returns no token for the first fetch of a zone."
            } else if request.requestID != nil {
                "recognizes no repeated request."
            } else {
                nil
            }
        if let part { throw CabinetError(.serverRejectedRequest, "CloudKit Web Services \(part)") }
    }

    static let failedWithOther = CabinetError(
        .batchRequestFailed, "Another record of the batch failed, so this one was not saved.")

    enum RecordChange {
        case save(Record)
        case delete(RecordID)

        var id: RecordID {
            switch self {
            case .save(let record): record.recordID
            case .delete(let id): id
            }
        }

        /// The root of a hierarchy that the change shares.
        var root: RecordID? {
            guard case .save(let record) = self, record.recordType == Share.recordType, record.recordChangeTag == nil,
                case .reference(let root) = record.fields[Share.SystemFieldKey.rootRecord]
            else { return nil }
            return root.recordID
        }

        /// Whether the change creates a share.
        var createsShare: Bool {
            if case .save(let record) = self {
                record.recordType == Share.recordType && record.recordChangeTag == nil
            } else {
                false
            }
        }

        /// Whether the change shares a hierarchy.
        var sharesRoot: Bool { root != nil }
    }

    /// Sends changes of a zone; a deletion that succeeded has no record.
    ///
    /// - Parameter rootTags: The change tags of the roots that new shares name.
    func send(
        _ changes: [RecordChange], in zoneID: RecordZone.ID, _ request: ModifyRecordsRequest, _ assets: UploadedValues,
        rootTags: [RecordID: String] = [:]
    ) async throws -> [(RecordID, Result<Record?, CabinetError>)] {
        let isAtomicZone = request.scope != .public && zoneID.zoneName != RecordZone.ID.defaultZoneName
        let root = try await send(.recordsModify, to: request.scope, items: "records") { writer throws(CabinetError) in
            try writer.member("operations", changes) { writer, change throws(CabinetError) in
                switch change {
                case .save(let record):
                    let rootTag = change.root.flatMap { rootTags[$0] }
                    try write(record, request.savePolicy, assets, rootTag: rootTag, to: &writer)
                case .delete(let id):
                    try writer.object { writer throws(CabinetError) in
                        writer.member("operationType", "forceDelete")
                        try writer.member("record") { writer in writer.member("recordName", id.recordName) }
                    }
                }
            }
            try writer.zone(zoneID, userRecordName)
            // The service creates shares in atomic batches alone.
            let createsShare = changes.contains(where: \.createsShare)
            writer.member("atomic", createsShare || request.isAtomic && isAtomicZone)
        }
        // A value that cannot be read, and that the request may not have sent, must not make a save a failure.
        let reader = reader(zoneID, in: request.scope, skipsUnreadable: true)
        var results: [(RecordID, Result<Record?, CabinetError>)] = []
        for (item, change) in zip(try Self.items(root, "records", count: changes.count), changes) {
            if item["recordType"] == nil, try item["deleted"]?.bool() == true {
                results.append((change.id, .success(nil)))
            } else {
                results.append((change.id, try reader.result(item, of: change.id).map(Optional.some)))
            }
        }
        results = try await addingServerRecords(to: results, request.scope)
        let saved = results.count { if case .success = $0.1 { true } else { false } }
        guard request.isAtomic, !isAtomicZone, saved > 0, saved < results.count else { return results }
        return results.map { id, result in
            (
                id,
                result.mapError { error in
                    var error = error
                    error.message +=
                        " The other records were changed: CloudKit Web Services has atomic batches in zones that the user created alone."
                    return error
                }
            )
        }
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
        let found: [Result<Record, CabinetError>]
        do {
            found = try await response(to: lookup).results
        } catch {
            let hasSaved = results.contains { if case .success = $0.1 { true } else { false } }
            if hasSaved { return results }
            throw error
        }
        let records = Dictionary(zip(lookup.recordIDs, found)) { first, _ in first }
        return results.map { id, result in
            guard case .failure(var error) = result, let record = records[id]?.record else { return (id, result) }
            error.setServerRecord(record)
            return (id, .failure(error))
        }
    }

    private func write(
        _ record: Record, _ policy: RecordSavePolicy, _ assets: UploadedValues, rootTag: String?,
        to writer: inout JSONWriter
    ) throws(CabinetError) {
        let tag = record.recordChangeTag
        let isShare = record.recordType == Share.recordType
        let isForced = policy != .ifServerRecordUnchanged && !(isShare && tag == nil)
        let keys = Self.sentKeys(of: record, policy)
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
                if isShare { try CloudKitShare.writeMembers(of: record, keys, rootTag: rootTag, to: &writer) }
                try writer.member("fields") { writer throws(CabinetError) in
                    for key in keys.sorted() where !isShare || !Share.SystemFieldKey.ofMembers.contains(key) {
                        writer.key(key)
                        if let value = record.fields[key] {
                            var values = values
                            values.receipt = { assets[.init(recordID: record.recordID, key: key, asset: $0)] }
                            try values.write(value, to: &writer)
                        } else {
                            try writer.object { _ in }
                        }
                    }
                }
            }
        }
    }

    /// Returns the keys of the fields that a save sends.
    static func sentKeys(of record: Record, _ policy: RecordSavePolicy) -> Set<Record.FieldKey> {
        let changed = record.fetched == nil ? record.fields.names.names : record.changedKeys()
        return Set(policy == .allKeys ? changed + record.fields.keys : changed)
    }

    /// Returns the error if a record has a delete rule that CloudKit lacks.
    private static func violation(in record: Record) -> CabinetError? {
        for (key, value) in zip(record.fields.names.names, record.fields.values) {
            guard value.references.contains(where: { $0.action == .nullify }) else { continue }
            return CabinetError(
                .invalidArguments,
                "CloudKit Web Services has no delete rule 'nullify'. Use none, deleteSelf or deny.",
                recordID: record.recordID, fieldKey: key)
        }
        return nil
    }
}
