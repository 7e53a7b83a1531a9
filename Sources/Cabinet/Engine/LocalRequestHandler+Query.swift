extension LocalRequestHandler {
    func response(to request: QueryRecordsRequest) async throws -> QueryRecordsRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        var request = ownerRule.canonical(request)
        request.reads = request.reads.map(ownerRule.canonical)
        let database = try databaseToRead(request.scope)
        try check(request.reads, in: request.scope)
        try await admit(
            request.query, reading: request.desiredKeys, zoneID: request.zoneID, scope: request.scope, to: database)
        guard request.resultsLimit >= 0 else {
            throw CabinetError(
                .invalidArguments,
                "The results limit is \(request.resultsLimit); expected a positive number, or Query.maximumResults.")
        }
        let limit = request.resultsLimit == Query.maximumResults ? Query.defaultPageSize : request.resultsLimit

        let history = request.observes && route == nil ? service.tracker.currentHistory(of: database) : nil
        let signalCount = history?.signalCount ?? 0
        return try await read(database) { [request] snapshot in
            var response = QueryRecordsRequest.Response()
            // Request one record more than the page holds, to find out whether another page follows.
            let plan = try await plan(
                request.query, zoneID: request.zoneID, scope: request.scope, isOrdered: request.isOrdered,
                position: request.position, limit: limit == .max ? limit : limit + 1,
                // A live query evaluates its filter on the records.
                desiredKeys: request.observes ? nil : request.desiredKeys, in: snapshot)
            var found = try await snapshot.records(matching: plan)
            if found.count > limit {
                found.removeLast(found.count - limit)
                if plan.isOrdered, let last = found.last {
                    response.position = try await snapshot.resolving(for: plan) {
                        try plan.position(after: last, resolving: $0)
                    }
                }
            }
            if !request.observes { found = found.trimmed(to: plan.fields.keysWithShare(request.desiredKeys)) }
            // The type answers in a fraction of the time that a search of all values takes.
            response.mayHaveAssets = plan.fields.hasAssets
            if response.mayHaveAssets { found = try await addingFiles(to: found, in: database) }
            response.records = found.map { Record($0) }
            if request.observes {
                let version = try await DatabaseVersion.read(in: snapshot)
                history?.begin(at: version, signalCount: signalCount)
                let permissions = try await permissions(
                    in: request.scope, version.schema, [request.zoneID].compactMap(\.self), from: snapshot)
                if let conflict = try await request.reads?.conflict(
                    at: version.end, permissions, version.schema, in: snapshot)
                {
                    throw conflict
                }
                response.basis = LiveBasis(plan.fields, end: version.end, readAccess: permissions.readAccess)
            }
            return response
        }
    }

    /// Throws if a query cannot be planned, and otherwise prepares the database.
    func admit(
        _ query: Query, reading desiredKeys: [Record.FieldKey]? = nil, valuesOf keys: [Record.FieldKey] = [],
        zoneID: RecordZone.ID?, scope: DatabaseScope, to database: DatabaseKey
    ) async throws {
        try check(query, reading: desiredKeys, zoneID: zoneID, scope: scope)
        for key in keys { try strictSchema?.rule.check(key, of: query.recordType) }
        try await prepare(database)
    }

    /// Throws if a query cannot be planned.
    func check(
        _ query: Query, reading desiredKeys: [Record.FieldKey]?, zoneID: RecordZone.ID?, scope: DatabaseScope
    ) throws {
        if !ShareRule.isShare(query.recordType) { try NameRule.recordType.validate(query.recordType) }
        if let violation = UserRecordRule.violation(querying: query.recordType) { throw violation }
        if scope == .shared, zoneID == nil { throw SharedRequestHandler.zoneMissing }
        try strictSchema?.rule.check(query, desiredKeys: desiredKeys)
    }

    /// Returns the plan that the backend runs for a query.
    ///
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if the zone does not exist, and ``CabinetError/Code/invalidArguments`` if the
    ///   plan would not be valid. ``CabinetError/Code/permissionFailure`` if the user may not read the records.
    func plan(
        _ query: Query, valuesOf keys: [Record.FieldKey] = [], zoneID: RecordZone.ID?, scope: DatabaseScope,
        isOrdered: Bool = true,
        position: QueryPosition? = nil, limit: Int = .max, desiredKeys: [Record.FieldKey]? = nil,
        in snapshot: any StorageSnapshot
    ) async throws -> QueryPlan {
        let zoneIDs = [zoneID].compactMap(\.self).filter { $0 != .default }
        let values = try await snapshot.load(StorageKeys(entries: zoneIDs.map(StoredZone.key)))
        let permissions = try await permissions(in: scope, values.schema, zoneIDs, from: snapshot)
        if let zoneID, values.entries.contains(nil) || !permissions.canRead(zoneID) {
            throw ZoneRule.notFound(zoneID, in: scope)
        }
        let unknown = query.namesUnknown(to: values.schema, valuesOf: keys)
        if !unknown.isEmpty,
            let violation = FormerNameRule(try await snapshot.schemaRules()).violation(of: unknown)
        {
            throw violation
        }
        let filter = try permissions.readable(query, valuesOf: keys, in: values.schema)
        let fields = FieldTypes(of: query.recordType, in: values.schema)
        // Simplify the filter here, so that backends are equally fast for all spellings of it. A cursor has the query as it was
        // written, so it fits later versions of the simplification.
        return try QueryPlan(
            recordType: query.recordType, zoneID: zoneID, filter: filter, order: query.sortDescriptors,
            isOrdered: isOrdered, position: position, limit: limit,
            keys: query.sortDescriptors.keysToFetch(for: fields.keysWithShare(desiredKeys)), fields: fields
        ).simplified().readingHiddenFields()
    }
}

extension LocalRequestHandler {
    func response(to request: ExplainQueryRequest) async throws -> QueryExplanation {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let request = ownerRule.canonical(request)
        let database = try databaseToRead(request.scope)
        try await admit(request.query, zoneID: request.zoneID, scope: request.scope, to: database)
        return try await read(database) { snapshot in
            let plan = try await plan(request.query, zoneID: request.zoneID, scope: request.scope, in: snapshot)
            return try await snapshot.explanation(of: plan).namingPaths()
        }
    }
}

/// The permissions of the container's user.
extension LocalRequestHandler {
    /// Returns the permissions in a database.
    ///
    /// The grants are loaded if there are some, and the database is the public one.
    ///
    /// - Parameters:
    ///   - scope: The database.
    ///   - schema: The schema of the snapshot.
    ///   - zoneIDs: The zones of the request, whose shares are loaded if they are another user's.
    ///   - snapshot: The view to load from.
    func permissions(
        in scope: DatabaseScope, _ schema: StoredSchema, _ zoneIDs: [RecordZone.ID] = [],
        from snapshot: any StorageSnapshot
    ) async throws -> PermissionRule {
        let hasGrants = scope == .public && schema.hasGrants
        var permissions = PermissionRule(
            try databaseToRead(scope), user: userRecordName, roles: roles,
            rules: hasGrants ? try await snapshot.schemaRules() : SchemaRules())
        if route != nil, let user = userRecordName {
            permissions.access =
                if let view = snapshot as? ParticipantSnapshot { try await view.access(to: zoneIDs) } else {
                    try await snapshot.shareAccess(to: zoneIDs, for: user)
                }
        }
        return permissions
    }

    /// Returns the permissions of the user in a version of a database.
    func permissions(in database: DatabaseKey, _ version: DatabaseVersion) -> PermissionRule {
        PermissionRule(database, user: userRecordName, roles: roles, rules: version.rules)
    }
}
