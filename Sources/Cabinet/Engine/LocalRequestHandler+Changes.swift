extension LocalRequestHandler {
    func response(
        to request: FetchDatabaseChangesRequest
    ) async throws -> FetchDatabaseChangesRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let database = try databaseToRead(request.scope)
        let limit = try ChangeFeedRule.limit(request.resultsLimit)
        return try await read(database) { snapshot in
            let feed = try await KnownFeed(of: [.default], in: snapshot)
            let permissions = try await permissions(in: request.scope, feed.schema, from: snapshot)
            let start = try await feed.start(after: request.since, by: permissions, in: snapshot)
            let found = try await snapshot.zoneChanges(
                after: start.number, removalsAfter: start.tombstoneHorizon,
                limit: feed.readingLimit(ofPage: limit, after: start))
            guard let found else { throw ChangeFeedRule.forgottenRemovals }
            let page = found.prefix(limit)
            let moreComing = found.count > limit
            var response = FetchDatabaseChangesRequest.Response(
                position: ChangeFeedRule.end(
                    of: page.map(\.sequenceNumber), from: start, moreComing: moreComing, at: feed.state.end))
            response.moreComing = moreComing
            for change in page {
                switch change {
                case .changed(let zone): response.modifications.append(.init(zoneID: zone.zoneID))
                case .deleted(let zoneID, _):
                    response.deletions.append(.init(zoneID: zoneID, reason: .deleted))
                }
            }
            return response
        }
    }

    func response(to request: FetchZoneChangesRequest) async throws -> FetchZoneChangesRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let request = ownerRule.canonical(request)
        let database = try databaseToRead(request.scope)
        let limit = try ChangeFeedRule.limit(request.resultsLimit)
        try strictSchema?.rule.check(desiredKeys: request.desiredKeys)
        try await prepare(database)
        return try await read(database) { snapshot in
            let feed = try await KnownFeed(of: [.default, request.zoneID], in: snapshot)
            let zone = feed.zones[request.zoneID]
            let permissions = try await permissions(
                in: request.scope, feed.schema, [request.zoneID], from: snapshot)
            if zone == nil && request.zoneID != .default || !permissions.canRead(request.zoneID) {
                throw ZoneRule.notFound(request.zoneID, in: request.scope)
            }
            let start = try await feed.start(after: request.since, of: zone, by: permissions, in: snapshot)
            // Check this also without a token: the default zone of an incomplete copy must not return its changes.
            if request.zoneID == .default {
                try ChangeFeedRule.check(start, beginning: zone?.creationNumber ?? 0)
            }
            let keys = feed.schema.keysWithShare(request.desiredKeys)
            let found = try await snapshot.numberedChanges(
                in: request.zoneID, after: start.number, limit: feed.readingLimit(ofPage: limit, after: start),
                of: .all(fields: keys))
            let page = found.prefix(limit)
            let moreComing = found.count > limit
            var response = FetchZoneChangesRequest.Response(
                position: ChangeFeedRule.end(
                    of: page.lazy.map(\.number), from: start, moreComing: moreComing, at: feed.state.end))
            response.moreComing = moreComing
            var records: [StoredRecord] = []
            records.reserveCapacity(page.count)
            for numbered in page {
                switch numbered.change {
                // A client that begins has read a record that had entered a share before.
                case .saved(let record)
                where record.sequenceNumber < numbered.number && numbered.number <= start.tombstoneHorizon:
                    break
                // User records belong to no zone's content: the store creates and deletes them with the users.
                case .saved(let record)
                where record.recordType != UserRecordRule.recordType && permissions.allows(.read, for: record):
                    records.append(record)
                // A deletion has no creator, so a user who reads only own records receives all deletions of the type.
                case .deleted(let deletion)
                where deletion.sequenceNumber > start.tombstoneHorizon
                    && permissions.violation(of: .read, on: deletion.recordType) == nil:
                    response.deletions.append(
                        .init(recordID: deletion.recordID, recordType: deletion.recordType))
                case .saved, .deleted: break
                }
            }
            let sorted = ChangeFeedRule.sortedByReferences(records).trimmed(to: keys)
            response.records = try await addingFiles(to: sorted, in: database).map { Record($0) }
            return response
        }
    }
}
