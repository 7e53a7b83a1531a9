extension SharedRequestHandler {
    /// Returns the record types that the shared zones have visible records of, as the owners' databases have them.
    ///
    /// If the owners give a field several types, the last one counts.
    ///
    /// - Complexity: one read for each owner, which finds a record of each type in each zone.
    func response(to request: FetchSchemaRequest) async throws -> Schema {
        let entries = try await local.read(try local.databaseToRead(.shared)) { try await $0.sharedZones() }
        let zoneIDs = entries.filter { !$0.isLeft }.map(\.zoneID)
        var schema = Schema()
        for group in groups(of: zoneIDs) {
            let route = group.route
            let ids = group.positions.map { route.ownerRule(of: user).canonical(zoneIDs[$0]) }
            schema.merge(
                try await handler(route).read(route.database) { [user] snapshot in
                    let access = try await snapshot.shareAccess(to: ids, for: user)
                    return try await snapshot.schema(ofRecordsIn: ids.filter(access.canRead))
                })
        }
        return schema
    }
}

extension StorageSnapshot {
    /// Returns the record types that a participant sees records of in zones, without grants and roles.
    fileprivate func schema(ofRecordsIn zoneIDs: [RecordZone.ID]) async throws -> Schema {
        var schema = Schema()
        if zoneIDs.isEmpty { return schema }
        let stored = try await self.schema()
        for (name, type) in Schema(stored, try await schemaRules()).recordTypes {
            for zoneID in zoneIDs {
                let plan = try QueryPlan(
                    recordType: name, zoneID: zoneID, filter: .constant(true), isOrdered: false, limit: 1, keys: [],
                    fields: FieldTypes(of: name, in: stored))
                if try await records(matching: plan).isEmpty { continue }
                schema[name] = .init(fields: type.fields, indexes: type.indexes, uniqueKeys: type.uniqueKeys)
                break
            }
        }
        return schema
    }
}
