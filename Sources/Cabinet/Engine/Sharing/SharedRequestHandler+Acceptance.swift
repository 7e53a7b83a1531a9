/// Opens, accepts and leaves shares.
///
/// Each of these changes two databases, in two transactions. The owner's is the truth: the user's own database has a list of zones
/// to ask for, where an entry shows nothing that the owner's share does not confirm. A zone is listed before it is accepted, and
/// marked after it was left, so that a crash between the two transactions needs no repair.
extension SharedRequestHandler {
    /// The share to which a URL leads.
    private struct Found: Sendable {
        let route: ZoneRoute
        let stored: StoredRecord
        let content: ShareContent
        /// The participant that the user is, or would be after accepting; `nil` if the user may not open the share.
        let participant: Share.Participant?
        /// The root of the hierarchy, if it was asked for.
        var root: StoredRecord?
        /// The participant whose one-time URL the user has opened.
        var guestID: String?
    }

    func response(to request: FetchShareMetadataRequest) async throws -> FetchShareMetadataRequest.Response {
        try local.checkCount(request.shortGUIDs.count)
        try local.strictSchema?.rule.check(desiredKeys: request.rootRecordDesiredKeys)
        var response = FetchShareMetadataRequest.Response()
        for shortGUID in request.shortGUIDs {
            response.results.append(
                try await result {
                    let found = try await find(shortGUID, request)
                    guard let participant = found.participant else { throw ShareRule.unknown }
                    return SharedZoneMetadata(
                        share: found.route.callerRecord(Record(found.stored), for: user), participant,
                        rootRecord: found.root.map { found.route.callerRecord(Record($0), for: user) })
                })
        }
        return response
    }

    func response(to request: AcceptSharesRequest) async throws -> AcceptSharesRequest.Response {
        try local.checkCount(request.shortGUIDs.count)
        var response = AcceptSharesRequest.Response()
        for shortGUID in request.shortGUIDs {
            response.results.append(try await result { try await accept(shortGUID) })
        }
        return response
    }

    func response(to request: RequestShareAccessRequest) async throws -> RequestShareAccessRequest.Response {
        try local.checkCount(request.shortGUIDs.count)
        var response = RequestShareAccessRequest.Response()
        for shortGUID in request.shortGUIDs {
            let result = try await result {
                let found = try await find(shortGUID)
                // A request that the rules refuse or that changes nothing needs no transaction.
                let id = found.stored.recordID
                if try ShareRule.asked(by: user, found.content, id) == found.content { return }
                _ = try await change(id, by: .ask, found.route)
            }
            if case .failure(let error) = result { response.errors.append(error) } else { response.errors.append(nil) }
        }
        return response
    }

    /// Returns the result of one item; errors of the whole request are thrown.
    private func result<Output: Sendable>(
        _ body: () async throws -> Output
    ) async throws -> Result<Output, CabinetError> {
        do {
            return .success(try await body())
        } catch let error as CabinetError
            where [.permissionFailure, .tooManyParticipants, .invalidArguments].contains(error.code)
        {
            return .failure(error)
        }
    }

    /// Finds the share of a URL.
    ///
    /// - Parameters:
    ///   - shortGUID: The last part of the URL.
    ///   - request: The request, which may ask for the root record.
    /// - Throws: ``CabinetError/Code/permissionFailure``, the same for an unknown share as for one that the user may not open.
    private func find(_ shortGUID: String, _ request: FetchShareMetadataRequest? = nil) async throws -> Found {
        guard let url = ShareURL(shortGUID: shortGUID) else { throw ShareRule.unknown }
        let key = ShareURLEntry.key(url)
        let text = try await local.read(.public) { try await $0.load(StorageKeys(entries: [key])).entries.first ?? nil }
        guard let text else { throw ShareRule.unknown }
        let entry = try ShareURLEntry(text: text)
        let zoneID = entry.zoneID
        let route =
            ZoneRoute(toShared: zoneID, for: user)
            ?? (zoneID.namesOwner(user) ? ZoneRoute(to: .private(owner: user)) : nil)
        guard let route else { throw ShareRule.unknown }
        let ownID = OwnerRule(user: zoneID.ownerName).canonical(zoneID)
        let fetchesRoot = request?.shouldFetchRootRecord == true
        let keys =
            fetchesRoot
            ? request?.rootRecordDesiredKeys?.ofFields.adding([StoredRecord.shareKey]) : [StoredRecord.shareKey]
        let (stored, root) = try await local.read(route.database) { snapshot in
            var id = ShareRule.shareID(of: ownID)
            var root: StoredRecord?
            if let guest = entry.guest {
                id = RecordID(recordName: guest.shareName, zoneID: ownID)
                let share = try await snapshot.load(StorageKeys(records: [id])).records.first ?? nil
                if fetchesRoot, let rootID = share.flatMap({ ShareContent.root(in: $0.fields) }) {
                    root = try await snapshot.records(for: [rootID], keys: keys).first ?? nil
                }
                return (share, root)
            }
            if let rootName = entry.rootName {
                let rootID = RecordID(recordName: rootName, zoneID: ownID)
                root = try await snapshot.records(for: [rootID], keys: keys).first ?? nil
                guard let shareName = root?.ownShareName else { return (nil as StoredRecord?, nil as StoredRecord?) }
                id = RecordID(recordName: shareName, zoneID: ownID)
            }
            return (try await snapshot.load(StorageKeys(records: [id])).records.first ?? nil, root)
        }
        guard let stored, let content = try ShareContent(stored) else { throw ShareRule.unknown }
        let guest = content.participants.first { $0.participantID == entry.guest?.participantID }
        let shortGUID = entry.guest == nil ? content.shortGUID : guest?.oneTimeShortGUID
        guard shortGUID == url.shortGUID else { throw ShareRule.unknown }
        return Found(
            route: route, stored: stored, content: content,
            participant: ShareRule.participant(user, opening: content, as: guest?.participantID),
            root: fetchesRoot ? root : nil,
            guestID: guest?.participantID)
    }

    private func accept(_ shortGUID: String) async throws -> Record {
        let found = try await find(shortGUID)
        let route = found.route
        guard let participant = found.participant else { throw ShareRule.unknown }
        guard route.owner != nil else { return Record(found.stored) }
        let id = found.stored.recordID
        try await list(route.callerID(id.zoneID))
        // A copy of a store has the shares without the entries of their participants.
        let hasAccess = try await access(to: [route.callerID(id.zoneID)], route).hasShare(id)
        if participant.acceptanceStatus == .accepted, hasAccess {
            return route.callerRecord(Record(found.stored), for: user)
        }
        let acceptance = ShareChange.accept(
            acceptanceID: RecordID.uniqueRecordName(), participantID: found.guestID)
        let stored = try await change(id, by: acceptance, route)
        // Another device may have left the share in between, and marked the zone.
        await local.afterCommit { try await list(route.callerID(id.zoneID)) }
        return route.callerRecord(Record(stored), for: user)
    }

    /// Lists a zone among those of the user's shared database, unless it is listed.
    private func list(_ zoneID: RecordZone.ID) async throws {
        let database = try local.databaseToRead(.shared)
        let key = SharedZoneEntry.key(zoneID)
        @Sendable func entry(_ text: String?) throws(CabinetError) -> SharedZoneEntry? {
            guard let text else { return nil }
            return try SharedZoneEntry(StorageEntry(key: key, text: text))
        }
        let keys = StorageKeys(entries: [key, DatabaseState.key])
        let known = try entry(try await local.read(database) { try await $0.load(keys).entries.first ?? nil })
        if let known, !known.isLeft { return }
        try await local.write(database) { transaction, _ in
            let values = try await transaction.load(keys)
            var state = try DatabaseState(entry: values.entries.last ?? nil)
            try state.checkNumbers(1)
            let timeline = try await state.beginTimeline(on: values.origin, in: transaction)
            state.lastSequenceNumber += 1
            let number = try entry(values.entries.first ?? nil)?.number ?? state.lastSequenceNumber
            let listed = SharedZoneEntry(zoneID: zoneID, number: number)
            try await transaction.apply(timeline + [listed.mutation, state.mutation])
        }
    }

    /// Removes the user from a share.
    ///
    /// - Parameter shareID: The share, with the owner's name.
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if the user does not take part in a share of the zone.
    func leave(_ shareID: RecordID, _ route: ZoneRoute) async throws {
        let zoneID = shareID.zoneID
        let id = route.ownerRule(of: user).canonical(shareID)
        guard try await access(to: [zoneID], route).hasShare(id) else { throw ZoneRule.notFound(zoneID, in: .shared) }
        _ = try await change(id, by: .leave, route)
        let database = try local.databaseToRead(.shared)
        await local.afterCommit {
            if try await takesPart(inOneOf: [zoneID], route) { return }
            // The user has left. The mark saves later requests the question to the owner's database.
            try await local.write(database) { transaction, _ in
                let key = SharedZoneEntry.key(zoneID)
                guard let text = try await transaction.load(StorageKeys(entries: [key])).entries.first ?? nil else {
                    return
                }
                var entry = try SharedZoneEntry(StorageEntry(key: key, text: text))
                entry.isLeft = true
                try await transaction.apply([entry.mutation])
            }
            // Another device may have accepted the share before the mark, and found the zone listed.
            if try await takesPart(inOneOf: [zoneID], route) { try await list(zoneID) }
        }
    }

    /// Changes a share on behalf of a participant, and returns it as it is stored.
    private func change(_ id: RecordID, by change: ShareChange, _ route: ZoneRoute) async throws -> StoredRecord {
        let request = ModifyRecordsRequest(
            recordsToSave: [Record(recordType: Share.recordType, recordID: id)], savePolicy: .allKeys)
        var saveRule = SaveRule(policy: .allKeys, database: route.database, user: user, now: local.service.now())
        saveRule.shareChange = change
        let planner = BatchPlanner(
            request: request, index: try BatchIndex(request), saveRule: saveRule, limits: local.limits, declared: nil)
        let batch = Batch(
            planner: planner, caller: local.caller, subscriptionCache: local.service.subscriptionCache)
        let outcome = try await local.write(route.database) { try await batch.run(in: $0, meter: $1) }
        await local.removeOneTimeURLs(after: outcome)
        if let stored = outcome.plan.updates.first?.record { return stored }
        let failure = outcome.plan.failures[id]
        throw failure.flatMap { $0.code == .zoneNotFound ? nil : $0 } ?? ShareRule.unknown
    }
}
