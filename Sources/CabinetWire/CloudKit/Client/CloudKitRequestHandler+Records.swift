public import Cabinet

extension CloudKitRequestHandler {
    /// Fetches records, with `records/lookup`.
    public func response(to request: FetchRecordsRequest) async throws -> FetchRecordsRequest.Response {
        if request.isOfTransaction { throw Self.noTransactions }
        let request = ownerRule.canonical(request)
        var results: [RecordID: Result<Record, CabinetError>] = [:]
        for (zoneID, ids) in Self.zones(of: request.recordIDs, by: \.zoneID) {
            for part in ids.parts(of: CloudKitEndpoint.maximumCount) {
                let found = try await lookUp(Array(part), in: zoneID, request)
                results.merge(zip(part, found)) { first, _ in first }
            }
        }
        return .init(
            request.recordIDs.map { results[$0] ?? .failure(CabinetError(.internalError, "The server left it out.")) })
    }

    private func lookUp(
        _ ids: [RecordID], in zoneID: RecordZone.ID, _ request: FetchRecordsRequest
    ) async throws -> [Result<Record, CabinetError>] {
        let root = try await send(.recordsLookup, to: request.scope, items: "records") { writer throws(CabinetError) in
            try writer.member("records", ids) { writer, id throws(CabinetError) in
                try writer.object { writer in writer.member("recordName", id.recordName) }
            }
            try writer.zone(zoneID, userRecordName)
            if let keys = request.desiredKeys { try writer.member("desiredKeys", keys) }
        }
        let reader = reader(zoneID, in: request.scope, isPartial: request.desiredKeys != nil)
        return try zip(try Self.items(root, "records", count: ids.count), ids).map { item, id in
            try reader.result(item, of: id)
        }
    }

    /// Returns a page of a query, with `records/query`.
    public func response(to request: QueryRecordsRequest) async throws -> QueryRecordsRequest.Response {
        if request.isOfTransaction { throw Self.noTransactions }
        if request.observes {
            throw CabinetError(.serverRejectedRequest, "CloudKit Web Services has no live queries.")
        }
        if let position = request.position, position.marker == nil {
            throw CabinetError(.invalidArguments, "The cursor is of another server. Begin the query again.")
        }
        var request = request
        request.zoneID = request.zoneID.map(ownerRule.canonical)
        request.query.filter = ownerRule.canonical(request.query.filter) ?? request.query.filter
        let root = try await send(.recordsQuery, to: request.scope, items: "records") {
            [request] writer throws(CabinetError) in
            writer.key("query")
            try CloudKitQuery.write(request.query, by: values, to: &writer)
            if let zoneID = request.zoneID {
                try writer.zone(zoneID, userRecordName)
            } else {
                writer.member("zoneWide", true)
            }
            if request.resultsLimit != Query.maximumResults {
                writer.member("resultsLimit", Int64(request.resultsLimit))
            }
            if let keys = request.desiredKeys { try writer.member("desiredKeys", keys) }
            if let marker = request.position?.marker { writer.member("continuationMarker", marker) }
        }
        let reader = reader(request.zoneID, in: request.scope, isPartial: request.desiredKeys != nil)
        let records = try root.required("records").array { item throws(CabinetError) in
            if let error = try CloudKitFailure.read(item) { throw error }
            return try reader.read(item)
        }
        let marker = try root["continuationMarker"]?.string()
        return .init(records, position: marker.map(QueryPosition.init(marker:)))
    }

    func reader(
        _ zoneID: RecordZone.ID?, in scope: DatabaseScope = .private, isPartial: Bool = false,
        skipsUnreadable: Bool = false
    ) -> CloudKitRecordReader {
        CloudKitRecordReader(
            userRecordName: userRecordName, zoneID: zoneID, isPartial: isPartial, skipsUnreadable: skipsUnreadable,
            scope: scope, shareURL: transport.shareURL
        ) {
            [transport] url, asset, slot in
            transport.remember(url, of: asset, in: slot)
        }
    }

    static let noTransactions = CabinetError(.serverRejectedRequest, "CloudKit Web Services has no transactions.")
}
