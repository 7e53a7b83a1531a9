import Cabinet

extension CloudKitEndpoint {
    /// Answers `records/modify`.
    func modifyRecords(_ root: JSONNode) async throws -> CloudKitResponse {
        let items = try Self.items(root, "operations")
        let zoneID = try self.zoneID(in: root) ?? .default
        var batch = try await batch(items, in: zoneID)
        // Only custom zones are atomic, and they are unless the request says otherwise; a record in the default zone fails with them.
        let atomic = try root["atomic"]?.bool()
        if atomic != true, batch.operations.contains(where: \.createsShare) {
            throw CabinetError(.invalidArguments, "You can only create a share with atomic=true.")
        }
        let asksForAtomic = atomic ?? true
        // A zone that the shared database does not have fails by itself, in a batch that is not atomic.
        let areAtomic = batch.operations.lazy.map { self.isAtomic($0.id.zoneID) }
        let isAtomic = asksForAtomic && (scope == .shared ? !areAtomic.contains(false) : areAtomic.contains(true))
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

    /// The number of attempts to save a batch whose records other clients change at the same time.
    private static let maximumAttempts = 10

    /// Saves in one transaction, in which a failure fails all.
    private func saveAtomically(_ batch: inout RecordBatch) async throws {
        let operations = batch.operations
        let (saves, deletions) = (batch.positions { !$0.kind.deletes }, batch.positions(\.kind.deletes))
        let converted = batch.convertedPositions(among: saves)
        let zoneCount = Set(operations.map(\.id.zoneID)).count
        let roots = try await roots(of: &batch)
        if batch.hasFailures { return batch.failOthers() }
        for attempt in 1... {
            let current = try await tags(of: converted.map { operations[$0].id })
            var request = request(for: batch, saves, deletions, tags: current)
            request.recordsToSave += roots.map(\.record)
            request.isAtomic = true
            let expected = expectedTags(of: deletions, in: batch)
            // Otherwise each zone is atomic by itself, as those of several owners are.
            if !expected.isEmpty || zoneCount > 1 && scope != .shared { request.expect(expected) }
            do {
                let response = try await save(request)
                batch.setResults(response, saves: saves, deletions: deletions)
                for (root, result) in zip(roots, response.saveResults.dropFirst(saves.count)) {
                    guard case .failure(let error) = result, error.code != .batchRequestFailed else { continue }
                    batch.fail(root.position, byRoot: error)
                }
            } catch let error as CabinetError where !expected.isEmpty && Self.codesOfReads.contains(error.code) {
                try await failChanged(&batch, among: deletions)
                // The record was changed back since, or another read of the request has changed.
                if !batch.hasFailures { throw error }
            }
            if !batch.hasFailures { return }
            let isOutrun = converted.contains { position in
                [.serverRecordChanged, .unknownItem].contains(batch.failures[position]?.error.code)
            }
            if !isOutrun || attempt == Self.maximumAttempts { break }
            batch = RecordBatch(operations, uploads: batch.uploads, shares: batch.shares)
        }
        batch.failOthers()
    }

    /// Saves records that fail one by one, or with those that they depend on.
    private func saveEach(_ batch: inout RecordBatch) async throws {
        let (operations, shares) = (batch.operations, batch.shares)
        let others = batch.positions { !shares.contains($0.id) }
        // The zones of an owner are in one database. An owner without zones in the shared database fails alone.
        let groups =
            scope == .shared ? Dictionary(grouping: others) { operations[$0].id.zoneID.ownerName } : ["": others]
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) where !group.isEmpty {
            do {
                try await save(group, of: &batch)
            } catch let error as CabinetError where groups.count > 1 {
                for position in group where batch.failures[position] == nil { batch.fail(position, error) }
            }
        }
        // A participant leaves a share in a request of its own. The records before it are saved, also if it fails.
        let leaving = batch.positions { shares.contains($0.id) }
        for (number, position) in leaving.enumerated() {
            var request = ModifyRecordsRequest(in: scope)
            request.asksForPosition = true
            request.recordIDsToDelete = [operations[position].id]
            do {
                batch.setResults(try await perform(request), saves: [], deletions: [position])
            } catch let error as CabinetError where number > 0 || operations.count > leaving.count {
                batch.fail(position, error)
            }
        }
    }

    /// Saves some records of a batch in one transaction, in which a record fails by itself, or with those that it depends on.
    ///
    /// The request fails as a whole, and changes nothing, if a tag has changed since it was read. Then it is sent again: without a
    /// deletion that names an old tag, and with the new tags of forced operations.
    private func save(_ positions: [Int], of batch: inout RecordBatch) async throws {
        let operations = batch.operations
        let saves = positions.filter { !operations[$0].kind.deletes }
        var deletions = positions.filter { operations[$0].kind.deletes }
        let converted = batch.convertedPositions(among: saves)
        var attempt = 1
        while !saves.isEmpty || !deletions.isEmpty {
            let current = try await tags(of: converted.map { operations[$0].id })
            var request = request(for: batch, saves, deletions, tags: current)
            request.isAtomic = false
            // At last, a forced operation whose record changes all the time fails alone.
            let isLast = attempt == Self.maximumAttempts
            let expected = expectedTags(of: deletions, in: batch).merging(isLast ? [:] : current) { first, _ in first }
            if !expected.isEmpty { request.expect(expected) }
            do {
                return batch.setResults(try await save(request), saves: saves, deletions: deletions)
            } catch let error as CabinetError
                where !isLast && !expected.isEmpty && Self.codesOfReads.contains(error.code)
            {
                try await failChanged(&batch, among: deletions)
                let count = deletions.count
                deletions.removeAll { batch.failures[$0] != nil }
                if deletions.count == count, error.code != .serverRecordChanged { throw error }
            }
            attempt += 1
        }
    }

    /// The codes with which a request fails for a record that it expects to have a change tag: another tag, no right to read it, no zone.
    private static let codesOfReads: Set<CabinetError.Code> = [.serverRecordChanged, .permissionFailure, .zoneNotFound]

    /// Returns the request that saves some records of a batch, and deletes others.
    ///
    /// - Parameter tags: The current change tags of the records of ``RecordBatch/convertedPositions(among:)``.
    private func request(
        for batch: RecordBatch, _ saves: [Int], _ deletions: [Int], tags: [RecordID: String?]
    ) -> ModifyRecordsRequest {
        let operations = batch.operations
        let saved = saves.map { operations[$0] }
        var request = ModifyRecordsRequest(in: scope)
        request.asksForPosition = true
        request.savePolicy = saved.allSatisfy(\.kind.isForced) ? .changedKeys : .ifServerRecordUnchanged
        request.recordsToSave = saved.map { operation in
            operation.record(tag: operation.kind.isForced ? tags[operation.id] ?? nil : operation.sentTag)
        }
        request.shortGUIDRecordIDs = saved.filter(\.createsShortGUID).map(\.id)
        request.recordIDsToDelete = deletions.map { operations[$0].id }
        request.uploads = batch.uploads
        return request
    }

    /// The change tags to compare by deleting, by record.
    ///
    /// A participant leaves every version of a share.
    private func expectedTags(of deletions: [Int], in batch: RecordBatch) -> [RecordID: String?] {
        var tags: [RecordID: String?] = [:]
        for operation in deletions.map({ batch.operations[$0] }) where operation.kind == .delete {
            if let tag = operation.tag, !batch.shares.contains(operation.id) { tags[operation.id] = tag }
        }
        return tags
    }

    /// Fails those of some deletions whose records have other change tags than the operations, or that the user cannot read.
    private func failChanged(_ batch: inout RecordBatch, among deletions: [Int]) async throws {
        let deletions = deletions.filter { batch.operations[$0].kind == .delete }
        if deletions.isEmpty { return }
        var request = FetchRecordsRequest(in: scope)
        request.recordIDs = deletions.map { batch.operations[$0].id }
        for (position, result) in zip(deletions, try await perform(request).results) {
            let operation = batch.operations[position]
            switch result {
            case .success(let record):
                if record.recordChangeTag == operation.tag { continue }
                let conflict = RecordConflict(
                    clientRecord: Record(recordType: record.recordType, recordID: operation.id), serverRecord: record,
                    ancestorRecord: nil)
                batch.fail(
                    position,
                    CabinetError(
                        .serverRecordChanged, "The record was changed since it was fetched.", recordID: operation.id,
                        conflict: conflict))
            case .failure(let error): batch.fail(position, error)
            }
        }
    }

    /// Returns the change tags of the records that the user can read; `nil` for those that do not exist.
    private func tags(of ids: [RecordID]) async throws -> [RecordID: String?] {
        if ids.isEmpty { return [:] }
        var request = FetchRecordsRequest(in: scope)
        request.recordIDs = ids
        request.desiredKeys = []
        var tags: [RecordID: String?] = [:]
        for (id, result) in zip(ids, try await perform(request).results) {
            switch result {
            case .success(let record): tags[id] = .some(record.recordChangeTag)
            case .failure(let error) where error.code == .unknownItem: tags[id] = .some(nil)
            case .failure: break
            }
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
