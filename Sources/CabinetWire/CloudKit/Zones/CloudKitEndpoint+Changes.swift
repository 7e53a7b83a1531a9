import Cabinet

/// The changes that a request asks for in one zone.
private struct ZoneChanges {
    let zoneID: RecordZone.ID
    let token: String?
    var limit: Int
    let desiredKeys: Set<Record.FieldKey>?
    let recordTypes: Set<Record.RecordType>?
    let numbersAsStrings: Bool

    /// Reads the changes in a zone from an object, and what it lacks from the one around it.
    init(_ node: JSONNode, in outer: JSONNode, of zoneID: RecordZone.ID?) throws(CabinetError) {
        func member(_ key: StaticString) -> JSONNode? { node[key] ?? outer[key] }
        guard let zoneID else { throw node.missing("zoneID") }
        self.zoneID = zoneID
        let token = try node["syncToken"]?.string()
        self.token = token == "" ? nil : token
        limit = try CloudKitEndpoint.limit(node["resultsLimit"] == nil ? outer : node)
        desiredKeys = try CloudKitEndpoint.desiredKeys(node["desiredKeys"] == nil ? outer : node)
        recordTypes = try (member("desiredRecordTypes")?.strings()).map(Set.init)
        numbersAsStrings = try CloudKitEndpoint.numbersAsStrings(node, in: outer)
        if let reverse = member("reverse"), try reverse.bool() {
            throw reverse.error(expected: "false: changes are returned in their order alone")
        }
    }

    /// Whether the request asks for records of a type.
    func includes(_ recordType: Record.RecordType) -> Bool { recordTypes?.contains(recordType) ?? true }
}

extension CloudKitEndpoint {
    /// Answers `records/changes`.
    func recordChanges(_ root: JSONNode) async throws -> CloudKitResponse {
        let changes = try ZoneChanges(root, in: root, of: zoneID(in: root))
        let page = try await fetch(changes)
        return try CloudKitResponse { writer throws(CabinetError) in
            try write(page, of: changes, to: &writer)
        }
    }

    /// Answers `changes/zone`: each zone by itself, with its error in its position.
    ///
    /// A page of changes bounds the response as a whole, which is in memory until it is sent. When the first zones have filled the
    /// page, each other zone has one change, so that every zone proceeds, and says that more are coming.
    func zoneChanges(_ root: JSONNode) async throws -> CloudKitResponse {
        var seen: Set<RecordZone.ID> = []
        let zones = try Self.items(root, "zones").map { item throws(CabinetError) in
            let changes = try ZoneChanges(item, in: root, of: zoneID(in: item))
            guard seen.insert(changes.zoneID).inserted else {
                throw item.error(expected: "another zone, because the request names this one twice")
            }
            return changes
        }
        var results: [Result<ChangesPage, CabinetError>] = []
        var remaining = Self.maximumCount
        for var zone in zones {
            zone.limit = min(zone.limit, max(remaining, 1))
            do {
                let page = try await fetch(zone)
                remaining -= page.response.records.count + page.response.deletions.count
                results.append(.success(page))
            } catch let error as CabinetError {
                results.append(.failure(error))
            }
        }
        return try CloudKitResponse { [results] writer throws(CabinetError) in
            try writer.member("zones", Array(zones.indices)) { writer, index throws(CabinetError) in
                switch results[index] {
                case .failure(let error): try write(error, of: zones[index].zoneID, to: &writer)
                case .success(let page):
                    try writer.object { writer throws(CabinetError) in
                        try writer.zone(zones[index].zoneID, caller.account?.userRecordName)
                        try write(page, of: zones[index], to: &writer)
                    }
                }
            }
        }
    }

    /// A page of changes, and what writes its records.
    private typealias ChangesPage = (response: FetchZoneChangesRequest.Response, records: CloudKitRecordWriter)

    private func fetch(_ changes: ZoneChanges) async throws -> ChangesPage {
        var request = FetchZoneChangesRequest(in: scope)
        request.zoneID = changes.zoneID
        request.since = try changes.token.flatMap { token throws(CabinetError) in
            try position(token, of: changes.zoneID)
        }
        request.desiredKeys = changes.desiredKeys?.sorted()
        request.resultsLimit = changes.limit
        var response = try await perform(request)
        response.records = try await withWholeShares(response.records, ifLimitedTo: request.desiredKeys)
        let records = try await recordWriter(of: response.records, numbersAsStrings: changes.numbersAsStrings)
        return (response, records)
    }

    private func write(
        _ page: ChangesPage, of changes: ZoneChanges, to writer: inout JSONWriter
    ) throws(CabinetError) {
        let (response, records) = page
        writer.key("records")
        try writer.array { writer throws(CabinetError) in
            for record in response.records where changes.includes(record.recordType) {
                try records.write(record, to: &writer)
            }
            for deletion in response.deletions where changes.includes(deletion.recordType) {
                try records.write(deletion, to: &writer)
            }
        }
        writer.member("syncToken", try token(response.position, of: changes.zoneID))
        writer.member("moreComing", response.moreComing)
    }

    /// Answers `changes/database`, and the older `zones/changes`, which names its token differently.
    func databaseChanges(_ root: JSONNode, tokenKey: StaticString) async throws -> CloudKitResponse {
        var request = FetchDatabaseChangesRequest(in: scope)
        if let token = try root[tokenKey]?.string(), !token.isEmpty { request.since = try position(token) }
        request.resultsLimit = try Self.limit(root)
        let response = try await perform(request)
        return try CloudKitResponse { writer throws(CabinetError) in
            writer.key("zones")
            try writer.array { writer throws(CabinetError) in
                for zoneID in response.modifications.map(\.zoneID) {
                    try writer.object { writer throws(CabinetError) in
                        try writer.zone(zoneID, caller.account?.userRecordName)
                        writer.member("deleted", false)
                    }
                }
                for deletion in response.deletions {
                    try writer.object { writer throws(CabinetError) in
                        try writer.zone(deletion.zoneID, caller.account?.userRecordName)
                        writer.member("deleted", true)
                    }
                }
            }
            writer.member(tokenKey, try token(response.position))
            writer.member("moreComing", response.moreComing)
        }
    }
}
