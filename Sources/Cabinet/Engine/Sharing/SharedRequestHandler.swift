import Foundation

/// Answers the requests to a user's shared database, each in the private databases of the zones' owners.
///
/// Nothing is copied: a request is translated to the names that the owner's database has, answered there by the same code as the
/// owner's requests, and judged in the same transaction by the zone's share.
struct SharedRequestHandler {
    /// The handler of the user's own databases.
    let local: LocalRequestHandler
    let user: String

    /// The items of a request that are in the zones of one owner.
    struct Group {
        let route: ZoneRoute
        /// The positions of the items in the request.
        var positions: [Int] = []
    }

    /// Returns a handler of the requests to an owner's database.
    func handler(_ route: ZoneRoute) -> LocalRequestHandler {
        LocalRequestHandler(
            service: local.service, caller: local.caller, strictSchema: local.strictSchema,
            isSchemaCurrent: local.isSchemaCurrent, route: route)
    }

    /// Returns the way to a zone.
    ///
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if no other user can own the zone.
    func route(to zoneID: RecordZone.ID, _ recordID: RecordID? = nil) throws(CabinetError) -> ZoneRoute {
        if let route = ZoneRoute(toShared: zoneID, for: user) { return route }
        throw ZoneRule.notFound(zoneID, in: .shared, recordID: recordID)
    }

    /// Groups zones by their owners, in the order of the first zone of each.
    ///
    /// - Returns: The groups. A zone that no other user can own is in none.
    func groups(of zoneIDs: some Sequence<RecordZone.ID>) -> [Group] {
        var groups: [Group] = []
        var indices: [String: Int] = [:]
        for (position, zoneID) in zoneIDs.enumerated() {
            guard let route = ZoneRoute(toShared: zoneID, for: user), let owner = route.owner else { continue }
            let index = indices[owner] ?? groups.count
            if index == groups.count {
                indices[owner] = index
                groups.append(Group(route: route))
            }
            groups[index].positions.append(position)
        }
        return groups
    }

    /// Returns the way to the one database of a transaction, whose reads are judged there.
    ///
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if no other user can own one of the zones, and
    ///   ``CabinetError/Code/invalidArguments`` if the zones have several owners.
    func commonRoute(to zoneIDs: some Sequence<RecordZone.ID>) throws(CabinetError) -> ZoneRoute? {
        var common: ZoneRoute?
        for zoneID in zoneIDs {
            let route = try route(to: zoneID)
            if let common, common != route {
                throw CabinetError(
                    .invalidArguments,
                    "A transaction of the shared database reads and changes the zones of one owner; this one names those of several."
                )
            }
            common = route
        }
        return common
    }

    /// Runs a request to an owner's database, and translates its errors.
    func answering<Output: Sendable>(
        _ route: ZoneRoute, _ body: (LocalRequestHandler) async throws -> Output
    ) async throws -> Output {
        do {
            return try await body(handler(route))
        } catch let error as CabinetError {
            throw route.callerError(error, for: user)
        }
    }

    /// Whether the user takes part in one of the zones.
    ///
    /// A request that prepares or changes a database asks this first, because a database is created by the first change.
    func takesPart(inOneOf zoneIDs: [RecordZone.ID], _ route: ZoneRoute) async throws -> Bool {
        try await !access(to: zoneIDs, route).isEmpty
    }

    /// Returns the rights of the user in zones of an owner.
    func access(to zoneIDs: [RecordZone.ID], _ route: ZoneRoute) async throws -> ShareAccess {
        let zoneIDs = zoneIDs.map(route.ownerRule(of: user).canonical)
        return try await local.read(route.database) { [user] in try await $0.shareAccess(to: zoneIDs, for: user) }
    }

    /// Throws if a request would prepare a database in which the user takes part in no zone.
    func checkBeforePreparing(_ zoneID: RecordZone.ID, _ route: ZoneRoute) async throws {
        guard let strictSchema = local.strictSchema, !strictSchema.isPrepared(route.database) else { return }
        if try await !takesPart(inOneOf: [zoneID], route) { throw ZoneRule.notFound(zoneID, in: .shared) }
    }
}

extension LocalRequestHandler {
    /// Returns the handler of a request to the shared database; `nil` for another database, or for a request that has its way.
    ///
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account.
    func sharedHandler(for scope: DatabaseScope) throws(CabinetError) -> SharedRequestHandler? {
        guard scope == .shared, route == nil else { return nil }
        return SharedRequestHandler(local: self, user: try accountRule.databaseToWrite(scope).user)
    }
}

extension LocalRequestHandler {
    func response(to request: FetchShareMetadataRequest) async throws -> FetchShareMetadataRequest.Response {
        guard let shared = try sharedHandler(for: .shared) else { throw ShareRule.unknown }
        return try await shared.response(to: request)
    }

    /// Finds the users whose record names the request has: a store has no list of users, and a server adds its own.
    func response(to request: FindUsersRequest) async throws -> FindUsersRequest.Response {
        try request.validate(for: caller)
        return FindUsersRequest.Response(
            userRecordNames: request.lookups.map { lookup in
                guard case .userRecordName(let name) = lookup, NameGrammar.userRecordName.allows(name) else {
                    return nil
                }
                return name
            })
    }

    func response(to request: RequestShareAccessRequest) async throws -> RequestShareAccessRequest.Response {
        guard let shared = try sharedHandler(for: .shared) else { throw ShareRule.unknown }
        return try await shared.response(to: request)
    }

    func response(to request: AcceptSharesRequest) async throws -> AcceptSharesRequest.Response {
        guard let shared = try sharedHandler(for: .shared) else { throw ShareRule.unknown }
        return try await shared.response(to: request)
    }
}
