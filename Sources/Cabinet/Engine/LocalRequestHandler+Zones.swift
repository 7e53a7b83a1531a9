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
        var seen: Set<RecordZone.ID> = []
        for zoneID in zoneIDs where !seen.insert(zoneID).inserted {
            throw CabinetError(
                .invalidArguments, "The request names the zone '\(zoneID)' twice; it can be saved or deleted once.")
        }
        let (response, cleanup) = try await write(database) {
            [
                service, caller, roles, isFromServer, isPending = isPending(in: request.scope)
            ] transaction, _ in
            let values = try await transaction.load(
                StorageKeys(
                    entries: [DatabaseState.key] + zoneIDs.map(StoredZone.key) + zonesToDelete.map(ShortGUIDEntry.key)
                        + [SubscriptionTopic.any.versionKey],
                    entryRanges: [SchemaRules.keysWithEarlierSubscriptions]
                        + zonesToDelete.map(HierarchyEntries.allKeys)))
            var state = try DatabaseState(entry: values.entries.first ?? nil)
            var stored: [RecordZone.ID: StoredZone] = [:]
            for (id, text) in zip(zoneIDs, values.entries.dropFirst()) {
                guard let text else { continue }
                stored[id] = try StoredZone(id, text: text)
            }
            let hierarchies = Dictionary(
                zip(zonesToDelete, values.entryRanges.dropFirst()), uniquingKeysWith: { first, _ in first })
            let shortGUIDs = Set(
                zip(zonesToDelete, values.entries.dropFirst(1 + zoneIDs.count)).filter { $1 != nil }.map(\.0))
            let (rules, earlier) = try SchemaRules.separated(from: values.entryRanges.first ?? [])
            let permissions = PermissionRule(database, user: user, roles: roles, rules: rules)
            var response = ModifyZonesRequest.Response()
            var new: [RecordZone.ID] = []
            for id in zonesToSave {
                let violation = ZoneRule.violation(
                    saving: id, in: request.scope, user: user, isCopy: isFromServer)
                response.saveResults.append(violation.map(Result.failure) ?? .success(RecordZone(zoneID: id)))
                if violation == nil, id != .default, stored[id] == nil { new.append(id) }
            }
            var old: [RecordZone.ID] = []
            for id in zonesToDelete {
                var violation = ZoneRule.violation(deleting: id, stored: stored[id], in: request.scope, user: user)
                if violation == nil {
                    violation = try await transaction.violation(deletingRecordsOf: id, permissions, values.schema)
                }
                response.deleteErrors.append(violation)
                if violation == nil { old.append(id) }
            }
            guard !old.isEmpty || !new.isEmpty else { return (response, nil as Cleanup?) }
            if isFromServer { try await transaction.checkNothingIsPending(in: old) }
            let date = service.now()
            let start = state.lastSequenceNumber
            var subscriptions = LoadedSubscriptions(
                of: database, [.any], values.entries.suffix(1), earlier: earlier, cache: service.subscriptionCache)
            // Subscriptions of every topic may fire: a zone has records of any types.
            let topics = old.isEmpty ? [] : try await transaction.subscriptionTopics()
            try await subscriptions.load(topics, from: transaction)
            var notifier = Notifier(
                subscriptions, in: database, rules: rules, deviceID: caller.deviceID, date: date)
            for id in old { try await notifier?.addRemoval(of: id, in: transaction) }
            notifier?.addCreation(of: new)
            try state.checkNumbers(old.count + new.count + (notifier?.count ?? 0))
            var mutations = try await state.beginTimeline(on: values.origin, in: transaction)
            var removals: [ZoneRemoval] = []
            for id in old {
                state.lastSequenceNumber += 1
                removals.append(ZoneRemoval(of: id, sequenceNumber: state.lastSequenceNumber, date: date))
                mutations += StoredZone.removal(of: id)
                if shortGUIDs.contains(id) { mutations.append(.setEntry(ShortGUIDEntry.key(id), nil)) }
                mutations += (hierarchies[id] ?? []).map { .setEntry($0.key, nil) }
            }
            mutations += try await transaction.mutations(storing: removals)
            for id in new {
                state.lastSequenceNumber += 1
                let number = state.lastSequenceNumber
                mutations.append(
                    StoredZone(zoneID: id, creatorName: user, creationNumber: number, changeNumber: number).mutation)
            }
            if isPending {
                mutations += try await MirrorZone.mutations(
                    creating: new, deleting: old, number: state.lastSequenceNumber, in: transaction)
            }
            if let notifier { mutations += try subscriptions.mutations(removingExpired: notifier) }
            mutations += try notifier?.mutations(&state) ?? []
            let cleanup = Cleanup(
                numbers: start..<state.lastSequenceNumber, date: date,
                includesAllAssets: !old.isEmpty && !values.schema.assetKeys.isEmpty, removesZones: !old.isEmpty,
                users: notifier?.notifiedUsers ?? [])
            try await transaction.apply(mutations + [state.mutation] + cleanup.mutations)
            return (response, cleanup)
        }
        if let cleanup, needs(cleanup) { await cleanUp(cleanup, in: database) }
        return response
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
