extension LocalRequestHandler {
    func response(to request: FetchRecordsRequest) async throws -> FetchRecordsRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let request = ownerRule.canonical(request)
        let database = try databaseToRead(request.scope)
        try checkCount(request.recordIDs.count)
        try check(request.reads, in: request.scope)
        try strictSchema?.rule.check(desiredKeys: request.desiredKeys)
        try await prepare(database)

        var refusals: [RecordID: CabinetError] = [:]
        for id in request.recordIDs {
            if let violation = NameRule.targetRecordName.violation(in: id.recordName, recordID: id) {
                refusals[id] = violation
            }
        }
        let ids = refusals.isEmpty ? request.recordIDs : request.recordIDs.filter { refusals[$0] == nil }
        let found = ids.isEmpty && request.reads == nil ? Found() : try await fetched(ids, request, from: database)
        var position = 0
        // A mirror's copy of another database is a private one.
        let scope = service.mirroredScope ?? request.scope
        return FetchRecordsRequest.Response(
            results: request.recordIDs.map { id in
                if let refusal = refusals[id] { return .failure(refusal) }
                defer { position += 1 }
                return found.result(at: position, id, in: scope)
            }, end: found.end, readAccess: found.end == nil ? nil : found.permissions?.readAccess)
    }

    /// The records that were found, in the order of their IDs, and why others were not.
    private struct Found: Sendable {
        var records: [StoredRecord?] = []
        var missingZones: Set<RecordZone.ID> = []
        var permissions: PermissionRule?
        /// The end of the change feed, for a transaction.
        var end: TimelinePoint?

        func result(
            at position: Int, _ id: RecordID, in scope: DatabaseScope
        ) -> Result<Record, CabinetError> {
            if missingZones.contains(id.zoneID) {
                return .failure(ZoneRule.notFound(id.zoneID, in: scope, recordID: id))
            }
            guard let record = records[position] else {
                let zone = id.zoneID == .default ? "default zone" : "zone '\(id.zoneID)'"
                return .failure(
                    CabinetError(
                        .unknownItem, "There is no such record in the \(zone) of the \(scope) database.",
                        recordID: id))
            }
            return permissions?.violation(of: .read, for: record).map(Result.failure) ?? .success(Record(record))
        }
    }

    private func fetched(
        _ ids: [RecordID], _ request: FetchRecordsRequest, from database: DatabaseKey
    ) async throws -> Found {
        var found = try await read(database) { snapshot in
            let zoneIDs = ids.customZones
            // The default zone has no shares.
            let fields = request.desiredKeys?.ofFields.adding(zoneIDs.isEmpty ? [] : [StoredRecord.shareKey])
            var keys = StorageKeys(records: ids, fields: fields, entries: zoneIDs.map(StoredZone.key))
            if request.reads != nil { keys.entries.append(DatabaseState.key) }
            let values = try await snapshot.load(keys)
            let permissions = try await permissions(
                in: request.scope, values.schema, zoneIDs + (request.reads?.zoneIDs ?? []), from: snapshot)
            let missing = zip(zoneIDs, values.entries).compactMap {
                $1 == nil || !permissions.canRead($0) ? $0 : nil
            }
            var end: TimelinePoint?
            if let reads = request.reads {
                let point = try DatabaseState(entry: values.entries.last ?? nil).end
                if let conflict = try await reads.conflict(at: point, permissions, values.schema, in: snapshot) {
                    throw conflict
                }
                end = point
            }
            return Found(
                records: try await addingFiles(to: values.records, in: database),
                missingZones: Set(missing), permissions: permissions, end: end)
        }
        guard route == nil, let user = userRecordName else { return found }
        let own = RecordID(recordName: user)
        guard let position = ids.firstIndex(of: own), found.records[position] == nil else { return found }
        let record = try await createOwnRecord(own, in: database, keys: request.desiredKeys?.ofFields)
        for position in ids.indices where ids[position] == own { found.records[position] = record }
        return found
    }

    /// Creates the user's own record, and returns it.
    ///
    /// CloudKit creates it with the account. Cabinet creates it at the first transaction that needs it.
    private func createOwnRecord(
        _ id: RecordID, in database: DatabaseKey, keys: [Record.FieldKey]?
    ) async throws -> StoredRecord? {
        let request = ModifyRecordsRequest(savePolicy: .allKeys)
        let saveRule = SaveRule(policy: .allKeys, database: database, user: id.recordName, now: service.now())
        let planner = BatchPlanner(
            request: request, index: try BatchIndex(request), saveRule: saveRule, limits: limits, declared: nil,
            needsUserRecord: true)
        let batch = Batch(planner: planner, caller: caller, subscriptionCache: service.subscriptionCache)
        return try await write(database) { transaction, meter in
            let outcome = try await batch.run(in: transaction, meter: meter)
            if var own = outcome.plan.userRecord {
                if let keys { own.fields = own.fields.selecting(keys) }
                return own
            }
            return try await transaction.records(for: [id], keys: keys).first ?? nil
        }
    }
}
