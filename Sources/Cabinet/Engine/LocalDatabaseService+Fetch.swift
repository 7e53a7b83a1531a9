extension LocalDatabaseService {
    func fetch(_ request: FetchRequest) async throws -> [RecordID: Result<Record, CabinetError>] {
        if let own = ownerRule.canonical(request) {
            let results = try await fetch(own)
            return Dictionary(
                request.recordIDs.map { ($0, results[ownerRule.canonical($0)] ?? .failure(Self.unanswered($0))) },
                uniquingKeysWith: { first, _ in first })
        }
        let database = try accountRule.databaseToRead(request.scope)
        try checkCount(request.recordIDs.count)
        try strictSchema?.rule.check(desiredKeys: request.desiredKeys)
        try await prepare(database)

        var results: [RecordID: Result<Record, CabinetError>] = [:]
        results.reserveCapacity(request.recordIDs.count)
        var ids: [RecordID] = []
        ids.reserveCapacity(request.recordIDs.count)
        for id in request.recordIDs {
            if request.scope == .shared {
                results[id] = .failure(ZoneRule.notFound(id.zoneID, in: request.scope, recordID: id))
            } else if let violation = NameRule.targetRecordName.violation(in: id.recordName, recordID: id) {
                results[id] = .failure(violation)
            } else {
                ids.append(id)
            }
        }
        guard !ids.isEmpty else { return results }

        let (readable, rest) = try await readWithFiles(database) { [ids] snapshot in
            try await fetched(ids, request, from: snapshot)
        }
        var (found, refused) = (readable, rest.refused)
        let permissions = rest.permissions
        if ids.contains(where: isOwnRecord),
            !found.contains(where: { isOwnRecord($0.recordID) }), !refused.contains(where: { isOwnRecord($0.recordID) })
        {
            let own = try await createOwnRecord(
                in: database, thenFetching: ids.filter(isOwnRecord), keys: request.desiredKeys)
            refused += own.filter { !permissions.allows(.read, for: $0) }
            found += await addingFiles(to: own.filter { permissions.allows(.read, for: $0) }, in: database)
        }
        for record in refused {
            if let violation = permissions.violation(of: .read, for: record) {
                results[record.recordID] = .failure(violation)
            }
        }
        for record in found { results[record.recordID] = .success(Record(record)) }
        if found.count == ids.count { return results }
        for id in ids where results[id] == nil {
            results[id] =
                .failure(
                    rest.missingZones.contains(id.zoneID)
                        ? ZoneRule.notFound(id.zoneID, in: request.scope, recordID: id)
                        : Self.unknownItem(id, in: request.scope))
        }
        return results
    }

    /// The rest of a fetch, beside the records that the user may read.
    private struct FetchRest: Sendable {
        /// The zones that do not exist.
        let missingZones: Set<RecordZone.ID>
        /// The records that the user may not read.
        let refused: [StoredRecord]
        let permissions: PermissionRule
    }

    private func fetched(
        _ ids: [RecordID], _ request: FetchRequest, from snapshot: any StorageSnapshot
    ) async throws -> (records: [StoredRecord], rest: FetchRest) {
        let zoneIDs = ids.customZones
        let values = try await snapshot.load(
            StorageKeys(records: ids, fields: request.desiredKeys, entries: zoneIDs.map(StoredZone.key)))
        let missing = zip(zoneIDs, values.entries).compactMap { $1 == nil ? $0 : nil }
        let permissions = try await permissions(in: request.scope, values.schema, from: snapshot)
        var found = values.records.compactMap(\.self)
        let refused = permissions.canReadAll ? [] : found.filter { !permissions.allows(.read, for: $0) }
        if !refused.isEmpty { found.removeAll { !permissions.allows(.read, for: $0) } }
        return (found, FetchRest(missingZones: Set(missing), refused: refused, permissions: permissions))
    }

    private static func unknownItem(_ id: RecordID, in scope: DatabaseScope) -> CabinetError {
        CabinetError(.unknownItem, "There is no such record in the \(scope) database.", recordID: id)
    }

    /// Returns the error for a record that is missing from the results.
    static func unanswered(_ id: RecordID) -> CabinetError {
        CabinetError(.internalError, "The results leave the record out.", recordID: id)
    }

    private func isOwnRecord(_ id: RecordID) -> Bool {
        id.recordName == userRecordName && id.zoneID == .default
    }

    private func createOwnRecord(
        in database: DatabaseKey, thenFetching ids: [RecordID], keys: [Record.FieldKey]?
    ) async throws -> [StoredRecord] {
        guard let user = userRecordName else { return [] }
        let empty = ModifyRequest(
            scope: .private, recordsToSave: [], recordIDsToDelete: [], savePolicy: .allKeys, isAtomic: true)
        let index = try BatchIndex(empty)
        let saveRule = SaveRule(policy: .allKeys, database: database, user: user, now: now())
        let planner = BatchPlanner(
            request: empty, index: index, saveRule: saveRule, limits: limits, declared: nil, uploads: nil,
            needsUserRecord: true)
        return try await write(database) { [deviceID, subscriptionCache] transaction, meter in
            let outcome = try await planner.run(
                in: transaction, meter: meter, deviceID: deviceID, subscriptionCache: subscriptionCache)
            if var own = outcome.plan.userRecord {
                if let keys { own.fields = own.fields.selecting(keys) }
                return [own]
            }
            return try await transaction.records(for: ids, keys: keys).compactMap(\.self)
        }
    }
}
