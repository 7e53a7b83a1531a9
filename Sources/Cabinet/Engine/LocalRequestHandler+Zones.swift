import Foundation

extension LocalRequestHandler {
    func response(to request: FetchZonesRequest) async throws -> FetchZonesRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let database = try databaseToRead(request.scope)
        try checkCount(request.zoneIDs?.count ?? 0)
        let wanted = request.zoneIDs.map { Set($0.map(ownerRule.canonical)) }
        if request.asksForKeys {
            return try await read(database) { [ownerRule] snapshot in
                var response = request.response(try await snapshot.zones(for: wanted), ownerRule)
                let existing = response.results.compactMap { try? $0.get().zoneID }
                response.keys = try await snapshot.keys(of: existing)
                return response
            }
        }
        if wanted == [.default] { return request.response([], ownerRule) }
        let found = try await read(database) { try await $0.zones(for: wanted) }
        return request.response(found, ownerRule)
    }

    /// Stores keys with zones, beside those that the zones have.
    private func add(_ keys: [ZoneKeys], in scope: DatabaseScope) async throws {
        guard scope == .private else {
            throw CabinetError(.badDatabase, "The zones of the private database alone have keys of encrypted values.")
        }
        let (database, _) = try databaseToWrite(scope)
        try checkCount(keys.count)
        try await write(database) { [ownerRule] transaction, _ in
            let ids = keys.map { ownerRule.canonical($0.zoneID) }
            let zones = try await transaction.zones(for: Set(ids))
            let missing = ZoneRule.missing(ids) { id in zones.contains { $0.zoneID == id } }
            if let id = missing.first { throw ZoneRule.notFound(id, in: scope) }
            var stored = Dictionary(
                try await transaction.keys(of: ids).map { ($0.zoneID, $0) }, uniquingKeysWith: { first, _ in first })
            for (id, new) in zip(ids, keys) {
                try stored[id, default: ZoneKeys(zoneID: id)].add(new.keys)
            }
            try await transaction.apply(try stored.values.map { try $0.mutation })
        }
    }

    func response(to request: ModifyZonesRequest) async throws -> ModifyZonesRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        if let keys = request.keysToAdd {
            guard request.zonesToSave.isEmpty, request.zoneIDsToDelete.isEmpty else {
                throw CabinetError(.invalidArguments, "A request that adds keys to zones saves and deletes none.")
            }
            try await add(keys, in: request.scope)
            return ModifyZonesRequest.Response()
        }
        let (database, user) = try databaseToWrite(request.scope)
        let zonesToSave = request.zonesToSave.map { ownerRule.canonical($0.zoneID) }
        let zonesToDelete = request.zoneIDsToDelete.map(ownerRule.canonical)
        let zoneIDs = zonesToSave + zonesToDelete
        try checkCount(zoneIDs.count)
        try checkOnce(zoneIDs, "zone")
        let scope = request.scope
        let (response, cleanup) = try await write(database) { [self] transaction, _ in
            var known = try await KnownZones(
                saving: zonesToSave, deleting: zonesToDelete, in: database, from: transaction,
                cache: service.subscriptionCache)
            let permissions = PermissionRule(database, user: user, roles: roles, rules: known.rules)
            var response = ModifyZonesRequest.Response()
            let new = judge(saving: zonesToSave, in: scope, by: user, known, &response)
            let old = try await judge(
                deleting: zonesToDelete, in: scope, by: user, known, permissions, in: transaction, &response)
            guard !old.isEmpty || !new.isEmpty else { return (response, nil as Cleanup?) }
            if isFromServer { try await transaction.checkNothingIsPending(in: old) }
            let change = ZoneChange(new: new, old: old, user: user, date: service.now())
            let (mutations, cleanup) = try await mutations(
                of: change, in: database, isPending: isPending(in: scope), &known, transaction)
            try await transaction.apply(mutations)
            return (response, cleanup)
        }
        if let cleanup, needs(cleanup) { await cleanUp(cleanup, in: database) }
        return response
    }
}

/// The zones that a request creates and deletes.
private struct ZoneChange {
    let new: [RecordZone.ID]
    let old: [RecordZone.ID]
    /// The user who makes the request.
    let user: String
    let date: Date
}

extension LocalRequestHandler {
    /// Adds the results of saved zones to a response.
    ///
    /// - Returns: The zones to create.
    private func judge(
        saving zonesToSave: [RecordZone.ID], in scope: DatabaseScope, by user: String, _ known: KnownZones,
        _ response: inout ModifyZonesRequest.Response
    ) -> [RecordZone.ID] {
        zonesToSave.filter { id in
            let violation = ZoneRule.violation(saving: id, in: scope, user: user, isCopy: isFromServer)
            response.saveResults.append(violation.map(Result.failure) ?? .success(RecordZone(zoneID: id)))
            return violation == nil && id != .default && known.zones[id] == nil
        }
    }

    /// Adds the results of deleted zones to a response.
    ///
    /// - Returns: The zones to delete.
    private func judge(
        deleting zonesToDelete: [RecordZone.ID], in scope: DatabaseScope, by user: String, _ known: KnownZones,
        _ permissions: PermissionRule, in transaction: any StorageTransaction,
        _ response: inout ModifyZonesRequest.Response
    ) async throws -> [RecordZone.ID] {
        var old: [RecordZone.ID] = []
        for id in zonesToDelete {
            var violation = ZoneRule.violation(deleting: id, stored: known.zones[id], in: scope, user: user)
            if violation == nil {
                violation = try await transaction.violation(deletingRecordsOf: id, permissions, known.schema)
            }
            response.deleteErrors.append(violation)
            if violation == nil { old.append(id) }
        }
        return old
    }

    /// Returns the notifications of created and deleted zones.
    private func notifier(
        of change: ZoneChange, in database: DatabaseKey, _ known: inout KnownZones,
        _ transaction: any StorageTransaction
    ) async throws -> Notifier? {
        // Subscriptions of every topic may fire: a zone has records of any types.
        let topics = change.old.isEmpty ? [] : try await transaction.subscriptionTopics()
        try await known.subscriptions.load(topics, from: transaction)
        var notifier = Notifier(
            known.subscriptions, in: database, rules: known.rules, deviceID: caller.deviceID, date: change.date)
        for id in change.old { try await notifier?.addRemoval(of: id, in: transaction) }
        notifier?.addCreation(of: change.new)
        return notifier
    }

    /// Returns the mutations that create and delete zones, and the work that they leave.
    private func mutations(
        of change: ZoneChange, in database: DatabaseKey, isPending: Bool, _ known: inout KnownZones,
        _ transaction: any StorageTransaction
    ) async throws -> (mutations: [StorageMutation], cleanup: Cleanup) {
        let start = known.state.lastSequenceNumber
        var notifier = try await notifier(of: change, in: database, &known, transaction)
        var state = known.state
        try state.checkNumbers(change.old.count + change.new.count + (notifier?.count ?? 0))
        var mutations = try await state.beginTimeline(on: known.origin, in: transaction)
        var removals: [ZoneRemoval] = []
        for id in change.old {
            state.lastSequenceNumber += 1
            removals.append(ZoneRemoval(of: id, sequenceNumber: state.lastSequenceNumber, date: change.date))
            mutations += StoredZone.removal(of: id)
            if known.zonesWithShortGUID.contains(id) { mutations.append(.setEntry(ShortGUIDEntry.key(id), nil)) }
            mutations += (known.hierarchies[id] ?? []).map { .setEntry($0.key, nil) }
        }
        mutations += try await transaction.mutations(storing: removals)
        for id in change.new {
            state.lastSequenceNumber += 1
            let number = state.lastSequenceNumber
            mutations.append(
                StoredZone(zoneID: id, creatorName: change.user, creationNumber: number, changeNumber: number).mutation)
        }
        if isPending {
            mutations += try await MirrorZone.mutations(
                creating: change.new, deleting: change.old, number: state.lastSequenceNumber, in: transaction)
        }
        if let notifier { mutations += try known.subscriptions.mutations(removingExpired: notifier) }
        mutations += try notifier?.mutations(&state) ?? []
        let cleanup = Cleanup(
            numbers: start..<state.lastSequenceNumber, date: change.date,
            includesAllAssets: !change.old.isEmpty && !known.schema.assetKeys.isEmpty,
            removesZones: !change.old.isEmpty, users: notifier?.notifiedUsers ?? [])
        return (mutations + [state.mutation] + cleanup.mutations, cleanup)
    }
}

extension StorageSnapshot {
    /// Returns the error if a zone has records of a type that the user may not write at all.
    ///
    /// The zone's creator may delete records that others created in it, but not those that the schema reserves for a role.
    fileprivate func violation(
        deletingRecordsOf zoneID: RecordZone.ID, _ permissions: PermissionRule, _ schema: StoredSchema
    ) async throws -> CabinetError? {
        for recordType in permissions.rules.types.keys.sorted() where schema.recordTypes[recordType] != nil {
            guard var violation = permissions.violation(of: .write, on: recordType) else { continue }
            let plan = try QueryPlan(
                recordType: recordType, zoneID: zoneID, filter: .constant(true), isOrdered: false, limit: 1, keys: [],
                fields: FieldTypes(of: recordType, in: schema))
            if try await records(matching: plan).isEmpty { continue }
            violation.message += " The zone '\(zoneID)' has such records, so it is not deleted."
            return violation
        }
        return nil
    }
}

extension FetchZonesRequest {
    /// Returns the response for the zones that are stored.
    fileprivate func response(_ stored: [StoredZone], _ ownerRule: OwnerRule) -> Response {
        var found = Set(stored.map(\.zoneID))
        found.insert(.default)
        let ids = zoneIDs ?? found.sorted { Ordering($0.zoneName, $1.zoneName) == .before }
        return Response(
            results: ids.map { id in
                let zoneID = ownerRule.canonical(id)
                return found.contains(zoneID)
                    ? .success(RecordZone(zoneID: zoneID)) : .failure(ZoneRule.notFound(id, in: scope))
            })
    }
}
