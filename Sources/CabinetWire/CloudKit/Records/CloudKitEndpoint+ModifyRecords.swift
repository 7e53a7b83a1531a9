import Cabinet

extension CloudKitEndpoint {
    /// Answers `records/modify`.
    func modifyRecords(_ root: JSONNode) async throws -> CloudKitResponse {
        let items = try Self.items(root, "operations")
        let zoneID = try self.zoneID(in: root) ?? .default
        var batch = try await batch(items, in: zoneID)
        // Only custom zones are atomic, and they are unless the request says otherwise.
        let atomic = try root["atomic"]?.bool()
        if atomic != true, batch.operations.contains(where: \.createsShare) {
            throw CabinetError(.invalidArguments, "You can only create a share with atomic=true.")
        }
        let asksForAtomic = atomic ?? true
        let isAtomic = asksForAtomic && batch.operations.allSatisfy { self.isAtomic($0.id.zoneID) }
        let keys = try Self.desiredKeys(root)
        var writer = recordWriter(numbersAsStrings: try Self.numbersAsStrings(root))
        batch.shares = try await shares(amongDeletionsOf: batch)
        if isAtomic { try await saveAtomically(&batch) } else { try await saveEach(&batch) }
        let isFailed = isAtomic && batch.hasFailures
        // The records are saved also if these reads fail.
        writer.shortGUIDs = (try? await shortGUIDs(ofRootsAmong: batch.saved.compactMap(\.self))) ?? [:]
        writer.shortGUIDs.merge(batch.shortGUIDs) { first, _ in first }
        // The changes after it include those of the request, so that no other change falls between them.
        var position = batch.position
        if position == nil { position = try? await endPosition() }
        let token = try position.map { position throws(CabinetError) in try self.token(position, of: zoneID) }
        return try response(to: batch, isFailed: isFailed, keys: keys, token: token, by: writer)
    }

    private func batch(_ items: [JSONNode], in zoneID: RecordZone.ID) async throws -> RecordBatch {
        var fields: [Record.RecordType: [Record.FieldKey: FieldType]] = [:]
        if try items.contains(where: RecordOperation.needsSchema) {
            // A schema lists the indexed system fields too, which no operation sets or clears.
            fields = try await perform(FetchSchemaRequest(in: scope)).recordTypes.mapValues {
                $0.fields.filter { SystemField(rawValue: $0.key) == nil }.mapValues(\.type)
            }
        }
        var reader = CloudKitValueReader(
            mapZone: canonical, receipt: { [self] text throws(CabinetError) in try asset(ofReceipt: text) })
        let users = try await users(namedBy: items)
        var operations: [RecordOperation] = []
        var seen: Set<RecordID> = []
        for item in items {
            let operation = try RecordOperation(item, in: zoneID, fields: fields, users: users, &reader)
            guard seen.insert(operation.id).inserted else {
                throw item.error(expected: "one operation for the record '\(operation.id.recordName)'")
            }
            operations.append(operation)
        }
        return RecordBatch(operations, uploads: reader.uploads)
    }

    /// Saves in one transaction, in which a failure fails all.
    private func saveAtomically(_ batch: inout RecordBatch) async throws {
        let operations = batch.operations
        let saves = batch.positions { !$0.kind.deletes }
        let deletions = batch.positions(\.kind.deletes)
        let areForced = saves.allSatisfy { operations[$0].kind.isForced }
        let converted = areForced ? [] : saves.filter { operations[$0].kind.isForced }
        let roots = try await roots(of: &batch)
        if batch.hasFailures { return batch.failOthers() }
        for attempt in 1... {
            var request = ModifyRecordsRequest(in: scope)
            request.asksForPosition = true
            // A request has one policy. Among others, a forced operation names the current tag, and is sent again if that changes.
            request.savePolicy = areForced ? .changedKeys : .ifServerRecordUnchanged
            let current = try await tags(of: converted.map { operations[$0].id })
            request.recordsToSave = saves.map { position in
                let operation = operations[position]
                return operation.record(tag: operation.kind.isForced ? current[operation.id] : operation.sentTag)
            }
            request.recordsToSave += roots.map(\.record)
            request.shortGUIDRecordIDs = saves.filter { operations[$0].createsShortGUID }.map { operations[$0].id }
            request.recordIDsToDelete = deletions.map { operations[$0].id }
            request.uploads = batch.uploads
            request.isAtomic = true
            let tags = deletions.compactMap { position in expectedTag(of: operations[position], in: batch) }
            if !tags.isEmpty { request.expect(Dictionary(tags, uniquingKeysWith: { first, _ in first })) }
            do {
                let response = try await save(request)
                batch.setResults(response, saves: saves, deletions: deletions)
                for (root, result) in zip(roots, response.saveResults.dropFirst(saves.count)) {
                    guard case .failure(let error) = result, error.code != .batchRequestFailed else { continue }
                    batch.fail(root.position, byRoot: error)
                }
            } catch let error as CabinetError where error.code == .serverRecordChanged && !tags.isEmpty {
                try await failChanged(&batch, among: deletions.filter { operations[$0].kind == .delete }, error)
            }
            if !batch.hasFailures { return }
            let isOutrun = converted.contains { batch.failures[$0]?.error.code == .serverRecordChanged }
            if !isOutrun || attempt == 10 { break }
            batch = RecordBatch(operations, uploads: batch.uploads, shares: batch.shares)
        }
        batch.failOthers()
    }

    /// Saves records that do not depend on each other.
    ///
    /// After the first of its transactions, an error fails the records of another one, because the others are saved.
    private func saveEach(_ batch: inout RecordBatch) async throws {
        let operations = batch.operations
        var hasSaved = false
        let deletesWithForced = operations.contains { !$0.kind.deletes && $0.kind.isForced }
        for isForced in [false, true] {
            let saves = batch.positions { !$0.kind.deletes && $0.kind.isForced == isForced }
            let deletions = isForced == deletesWithForced ? batch.positions { $0.kind == .forceDelete } : []
            if saves.isEmpty, deletions.isEmpty { continue }
            var request = ModifyRecordsRequest(in: scope)
            request.asksForPosition = true
            request.savePolicy = isForced ? .changedKeys : .ifServerRecordUnchanged
            request.recordsToSave = saves.map { operations[$0].record(tag: isForced ? nil : operations[$0].sentTag) }
            request.recordIDsToDelete = deletions.map { operations[$0].id }
            request.shortGUIDRecordIDs = saves.filter { operations[$0].createsShortGUID }.map { operations[$0].id }
            request.uploads = batch.uploads
            request.isAtomic = false
            do {
                batch.setResults(try await save(request), saves: saves, deletions: deletions)
            } catch let error as CabinetError where hasSaved {
                for position in saves + deletions { batch.fail(position, error) }
            }
            hasSaved = true
        }
        // A deletion that compares a tag is a transaction of its own.
        for position in batch.positions({ $0.kind == .delete }) {
            var request = ModifyRecordsRequest(in: scope)
            request.asksForPosition = true
            request.recordIDsToDelete = [operations[position].id]
            if let tag = expectedTag(of: operations[position], in: batch) { request.expect([tag.0: tag.1]) }
            do {
                do {
                    batch.setResults(try await perform(request), saves: [], deletions: [position])
                } catch let error as CabinetError where error.code == .serverRecordChanged {
                    try await failChanged(&batch, among: [position], error)
                }
            } catch let error as CabinetError where hasSaved {
                batch.fail(position, error)
            }
            hasSaved = true
        }
    }

    /// The record and the change tag to compare by deleting.
    ///
    /// A participant leaves every version of a share.
    private func expectedTag(of operation: RecordOperation, in batch: RecordBatch) -> (RecordID, String)? {
        if operation.kind != .delete || batch.shares.contains(operation.id) { return nil }
        return operation.tag.map { (operation.id, $0) }
    }

    /// Fails those of some deletions whose records have other change tags than the operations.
    private func failChanged(
        _ batch: inout RecordBatch, among deletions: [Int], _ error: CabinetError
    ) async throws {
        var request = FetchRecordsRequest(in: scope)
        request.recordIDs = deletions.map { batch.operations[$0].id }
        for (position, result) in zip(deletions, try await perform(request).results) {
            let operation = batch.operations[position]
            if let record = result.record {
                if record.recordChangeTag == operation.tag { continue }
                let conflict = RecordConflict(
                    clientRecord: Record(recordType: record.recordType, recordID: operation.id), serverRecord: record,
                    ancestorRecord: nil)
                batch.fail(
                    position,
                    CabinetError(
                        .serverRecordChanged, "The record was changed since it was fetched.", recordID: operation.id,
                        conflict: conflict))
            } else {
                batch.fail(
                    position, CabinetError(.unknownItem, "There is no such record.", recordID: operation.id))
            }
        }
        // The record was changed back since, or another read of the request has changed.
        if !deletions.contains(where: { batch.failures[$0] != nil }) { throw error }
    }

    private func tags(of ids: [RecordID]) async throws -> [RecordID: String] {
        if ids.isEmpty { return [:] }
        var request = FetchRecordsRequest(in: scope)
        request.recordIDs = ids
        request.desiredKeys = []
        var tags: [RecordID: String] = [:]
        for (id, result) in zip(ids, try await perform(request).results) {
            if let record = result.record { tags[id] = record.recordChangeTag }
        }
        return tags
    }

    /// Has the service save records, and refuse those with an asset that the store lacks.
    private func save(_ request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        var request = request
        while true {
            let response = try await perform(request)
            // Nothing was saved if an asset is missing.
            guard let missing = response.missingAssets.first else { return response }
            let error = CabinetError(
                .invalidArguments,
                "The store has no asset of \(missing.size) bytes with this checksum. Upload it, and send the value with its receipt."
            )
            let lacking = request.recordsToSave.filter { record in
                request.refusals[record.recordID] == nil && record.fields.storedAssets.contains(missing)
            }
            if lacking.isEmpty { throw error }
            for record in lacking { request.refusals[record.recordID] = error }
        }
    }

    private func response(
        to batch: RecordBatch, isFailed: Bool, keys: Set<Record.FieldKey>?, token: String?,
        by records: CloudKitRecordWriter
    ) throws -> CloudKitResponse {
        try CloudKitResponse(status: isFailed ? CloudKitErrorCode.atomicError.status : 200) {
            writer throws(CabinetError) in
            if isFailed {
                let error = CabinetError(.batchRequestFailed, "Atomic failure: no record was changed.")
                writer.member("uuid", requestID)
                CloudKitFailure(error: error).writeMembers(to: &writer)
            }
            try writer.member("records", Array(batch.operations.indices)) { writer, position throws(CabinetError) in
                let operation = batch.operations[position]
                if let failure = batch.failures[position] {
                    try records.write(failure, of: operation.id, to: &writer)
                } else if let record = batch.saved[position] {
                    try records.write(record, keys: operation.desiredKeys ?? keys, to: &writer)
                } else {
                    try writer.object { writer in
                        writer.member("recordName", operation.id.recordName)
                        writer.member("deleted", true)
                    }
                }
            }
            if let token { writer.member("syncToken", token) }
        }
    }
}

extension RecordOperation {
    /// The change tag to compare by saving; `nil` for a record to create.
    fileprivate var sentTag: String? { kind == .create ? nil : tag }

    /// Whether the operation shares a zone.
    fileprivate var createsShare: Bool { kind == .create && recordType == Share.recordType }
}
