import Cabinet

/// The description of a share in a request: its short GUID, and what to return of its root.
private struct ShortGUIDItem {
    let value: String
    /// Whether the root of a hierarchy is returned.
    let fetchesRoot: Bool
    /// The fields of the root; `nil` for all.
    let rootKeys: Set<Record.FieldKey>?

    init(_ node: JSONNode) throws(CabinetError) {
        value = try node.required("value").string()
        fetchesRoot = try node["shouldFetchRootRecord"]?.bool() ?? false
        rootKeys = try (node["rootRecordDesiredKeys"]?.strings()).map(Set.init)
    }
}

extension CloudKitEndpoint {
    /// Answers `records/resolve`, and `records/accept` after accepting: each share by itself, with its error in its position.
    func resolve(_ root: JSONNode, isAccepting: Bool) async throws -> CloudKitResponse {
        guard scope == .public else {
            throw CabinetError(
                .invalidArguments, "endpoint not applicable in the database type '\(scope.segment)db'")
        }
        guard caller.account != nil else {
            throw CabinetError(.notAuthenticated, "Shares are for users: sign in first.")
        }
        let items = try Self.items(root, "shortGUIDs").map { item throws(CabinetError) in try ShortGUIDItem(item) }
        let shortGUIDs = items.map(\.value)
        var failures: [Int: CabinetError] = [:]
        if isAccepting {
            let accepted = try await perform(AcceptSharesRequest(shortGUIDs: shortGUIDs)).results
            for case (let position, .failure(let error)) in accepted.enumerated() { failures[position] = error }
        }
        let asking = items.filter(\.fetchesRoot)
        // A request has one list of keys: the union, from which each root gets its own.
        let keys = asking.allSatisfy { $0.rootKeys != nil } ? Set(asking.flatMap { $0.rootKeys ?? [] }).sorted() : nil
        let found = try await perform(
            FetchShareMetadataRequest(
                shortGUIDs: shortGUIDs, shouldFetchRootRecord: !asking.isEmpty, rootRecordDesiredKeys: keys)
        ).metadata(in: container?.identifier ?? "")
        guard found.count == shortGUIDs.count else {
            throw CabinetError(.internalError, "The service gave another number of shares than the request names.")
        }
        let records = recordWriter()
        return try CloudKitResponse { [failures] writer throws(CabinetError) in
            try writer.member("results", Array(found.indices)) { writer, position throws(CabinetError) in
                try writer.object { writer throws(CabinetError) in
                    try writer.member("shortGUID") { writer in writer.member("value", shortGUIDs[position]) }
                    switch failures[position].map(Result.failure) ?? found[position] {
                    case .failure(let error): CloudKitFailure(error: error).writeMembers(to: &writer)
                    case .success(let metadata): try write(metadata, for: items[position], by: records, to: &writer)
                    }
                }
            }
        }
    }

    private func write(
        _ metadata: Share.Metadata, for item: ShortGUIDItem, by records: CloudKitRecordWriter,
        to writer: inout JSONWriter
    ) throws(CabinetError) {
        if let container {
            writer.member("containerIdentifier", container.identifier)
            writer.member("environment", container.environment.rawValue)
        }
        let isOwn = metadata.participantRole == .owner
        writer.member("databaseScope", isOwn ? "PRIVATE" : "SHARED")
        try writer.zone(metadata.zoneID, caller.account?.userRecordName)
        if let rootID = metadata.hierarchicalRootRecordID { writer.member("rootRecordName", rootID.recordName) }
        var records = records
        records.scope = isOwn ? .private : .shared
        if item.fetchesRoot, let root = metadata.rootRecord {
            if let shareID = root.share?.recordID { records.shortGUIDs[shareID] = item.value }
            writer.key("rootRecord")
            try records.write(root, keys: item.rootKeys, to: &writer)
        }
        writer.key("share")
        try records.write(metadata.share.record, to: &writer)
        if let owner = metadata.share.owner {
            try writer.member("ownerIdentity") { writer in writer.member("userRecordName", owner.userRecordName) }
        }
        CloudKitShare.writeMembers(of: metadata, to: &writer)
    }

    /// Returns the record names of the users that the shares of a request name by addresses.
    func users(namedBy operations: [JSONNode]) async throws -> [UserLookup: String] {
        var lookups: Set<UserLookup> = []
        for operation in operations {
            guard let record = operation["record"] else { continue }
            lookups.formUnion(try CloudKitShare.lookups(record))
        }
        if lookups.isEmpty { return [:] }
        let asked = Array(lookups)
        let found = try await host.users(asked, for: caller)
        var users: [UserLookup: String] = [:]
        for (lookup, user) in zip(asked, found) {
            // A record name is taken as it was sent: nothing reveals whether there is such a user.
            if case .userRecordName(let name) = lookup { users[lookup] = name }
            if let user { users[lookup] = user.userRecordName }
        }
        return users
    }

    /// Returns records with whole shares among them: a request cannot desire participants, which are not fields.
    func withWholeShares(_ records: [Record], ifLimitedTo keys: [Record.FieldKey]?) async throws -> [Record] {
        let limited = keys == nil ? [] : records.filter { $0.recordType == Share.recordType }
        let shares = try await shares(withIDs: limited.map(\.recordID))
        let whole = Dictionary(shares.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        return records.map { whole[$0.recordID] ?? $0 }
    }
}
