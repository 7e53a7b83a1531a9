/// The zone or the root that a share's URL leads to, as an entry of the public database, under a hash of the URL.
///
/// The entry is stored before the share, and outlives it, unless it is that of a participant, which is removed with the participant.
/// It grants nothing: the share itself says who may open it.
struct ShareURLEntry: Sendable, Hashable {
    /// The zone, with the owner's name.
    let zoneID: RecordZone.ID

    /// The name of the root record; `nil` for the share of the whole zone.
    var rootName: String?
    /// The participant whose one-time URL it is, and the name of its share.
    var guest: Guest?

    /// A participant with a one-time URL.
    struct Guest: Sendable, Hashable {
        let participantID: String
        let shareName: String
    }

    /// The key of a URL's entry.
    static func key(_ url: ShareURL) -> StorageKey { StorageKey("share", "url", url.hash) }

    init(zoneID: RecordZone.ID, rootName: String? = nil, guest: Guest? = nil) {
        self.zoneID = zoneID
        self.rootName = rootName
        self.guest = guest
    }

    /// Reads an entry.
    init(text: String) throws(CabinetError) {
        let key = StorageKey(text)
        guard (2...4).contains(key.names.count) else { throw .damagedEntry(key, text) }
        self.init(
            zoneID: RecordZone.ID(zoneName: key.names[1], ownerName: key.names[0]),
            rootName: key.names.count == 3 ? key.names[2] : nil,
            guest: key.names.count == 4 ? Guest(participantID: key.names[2], shareName: key.names[3]) : nil)
    }

    /// The text of the entry.
    var text: String {
        if let guest {
            return StorageKey(zoneID.ownerName, zoneID.zoneName, guest.participantID, guest.shareName).text
        }
        guard let rootName else { return StorageKey(zoneID.ownerName, zoneID.zoneName).text }
        return StorageKey(zoneID.ownerName, zoneID.zoneName, rootName).text
    }
}

/// The entry of a zone that has the part of its share's URL, so that the URL outlives the share.
enum ShortGUIDEntry {
    /// The key of a zone's entry, in the owner's private database.
    static func key(_ zoneID: RecordZone.ID) -> StorageKey { StorageKey("share", "guid", zoneID.zoneName) }
}

extension LocalRequestHandler {
    /// Returns the parts of URLs for the shares and the participants that a request saves, after each is found under its hash.
    ///
    /// A zone or a root without one gets it in a transaction of its own, before the share is saved.
    func shortGUIDs(for request: ModifyRecordsRequest, in database: DatabaseKey) async throws -> ShareShortGUIDs {
        var shortGUIDs = ShareShortGUIDs()
        guard case .private = database else { return shortGUIDs }
        for share in request.recordsToSave where ShareRule.isShare(share.recordType) {
            shortGUIDs.baseURL = service.shareBaseURL
            shortGUIDs.ofParticipants.merge(try await self.shortGUIDs(ofGuestsIn: share, in: database)) { $1 }
            // A participant changes only shares that are stored, and have their URL.
            if route != nil { continue }
            let zoneID = share.recordID.zoneID
            let root = ShareContent.root(in: share.fields)
            // The share of a hierarchy that was fetched has its URL.
            if zoneID == .default || root == nil && !ShareRule.isZoneWide(share.recordID) { continue }
            shortGUIDs.ofShares[share.recordID] = try await shortGUID(of: zoneID, root, in: database)
        }
        return shortGUIDs
    }

    /// Creates one-time URLs for the new participants of a share that no user is yet.
    private func shortGUIDs(ofGuestsIn share: Record, in database: DatabaseKey) async throws -> [String: String] {
        // The rules report a share that cannot be read.
        guard case .private(let owner) = database,
            let content = try? ShareContent(share.fields, of: share.recordID)
        else { return [:] }
        let new = content.participants.filter { $0.isUnclaimed && $0.oneTimeShortGUID?.isEmpty == true }
        if new.isEmpty { return [:] }
        let zoneID = RecordZone.ID(zoneName: share.recordID.zoneID.zoneName, ownerName: owner)
        var shortGUIDs: [String: String] = [:]
        var entries: [StorageMutation] = []
        for participant in new {
            let url = ShareURL.random()
            let guest = ShareURLEntry.Guest(
                participantID: participant.participantID, shareName: share.recordID.recordName)
            entries.append(.setEntry(ShareURLEntry.key(url), ShareURLEntry(zoneID: zoneID, guest: guest).text))
            shortGUIDs[participant.participantID] = url.shortGUID
        }
        // The list of URLs is everyone's, also for an administrator who has a way to the owner's database.
        let handler = LocalRequestHandler(service: service, caller: caller)
        try await handler.write(.public) { [entries] transaction, _ in try await transaction.apply(entries) }
        return shortGUIDs
    }

    /// Removes the one-time URLs that no participant has after a request: those of removed participants, and of a refused save.
    ///
    /// A URL that stays leads nowhere, so errors do not matter.
    ///
    /// - Parameters:
    ///   - created: The last parts of the URLs that were stored before the transaction, by participant.
    ///   - outcome: The result of the transaction.
    func removeOneTimeURLs(_ created: [String: String] = [:], after outcome: Batch.Outcome) async {
        // A plan that lacks assets was not carried out.
        let (current, former) = outcome.missingAssets.isEmpty ? outcome.plan.oneTimeShortGUIDs : ([], [])
        if created.isEmpty, former.isEmpty { return }
        let ended = former.union(created.values).subtracting(current).compactMap(ShareURL.init(shortGUID:))
        if ended.isEmpty { return }
        let entries = ended.map { StorageMutation.setEntry(ShareURLEntry.key($0), nil) }
        // The list of URLs is everyone's, also for a participant who has a way to the owner's database.
        let handler = LocalRequestHandler(service: service, caller: caller)
        await afterCommit {
            try await handler.write(.public) { transaction, _ in try await transaction.apply(entries) }
        }
    }

    /// Returns the parts of the URLs of saved records that a request asks for; a participant gets none.
    func shortGUIDs(
        _ recordIDs: [RecordID], savedBy plan: BatchPlan, in database: DatabaseKey
    ) async throws -> [RecordShortGUID] {
        var shortGUIDs: [RecordShortGUID] = []
        for id in recordIDs where route == nil && id.zoneID != .default && plan.failures[id] == nil {
            guard let text = try await shortGUID(of: id.zoneID, id, in: database) else { continue }
            shortGUIDs.append(.init(recordID: id, text: text))
        }
        return shortGUIDs
    }

    /// Returns the part of the URL of the share of a zone or a root, after it is found under its hash.
    private func shortGUID(
        of zoneID: RecordZone.ID, _ root: RecordID?, in database: DatabaseKey
    ) async throws -> String? {
        guard case .private(let owner) = database, let url = try await shareURL(of: zoneID, root, in: database) else {
            return nil
        }
        let key = ShareURLEntry.key(url)
        let entry = ShareURLEntry(
            zoneID: RecordZone.ID(zoneName: zoneID.zoneName, ownerName: owner), rootName: root?.recordName)
        let known = try await read(.public) { try await $0.load(StorageKeys(entries: [key])).entries.first ?? nil }
        if known != entry.text {
            try await write(.public) { transaction, _ in
                try await transaction.apply([.setEntry(key, entry.text)])
            }
        }
        return url.shortGUID
    }

    /// Returns the URL of the share of a zone or a root, which stays the same as long as the zone exists; `nil` without the zone.
    private func shareURL(
        of zoneID: RecordZone.ID, _ root: RecordID?, in database: DatabaseKey
    ) async throws -> ShareURL? {
        let key = root.map(HierarchyEntries.shortGUIDKey) ?? ShortGUIDEntry.key(zoneID)
        let keys = StorageKeys(entries: [StoredZone.key(zoneID), key])
        @Sendable func stored(_ values: StorageValues) throws(CabinetError) -> (exists: Bool, url: ShareURL?) {
            guard values.entries.count == 2, values.entries[0] != nil else { return (false, nil) }
            guard let text = values.entries[1] else { return (true, nil) }
            guard let url = ShareURL(shortGUID: text) else { throw .damagedEntry(key, text) }
            return (true, url)
        }
        let found = try stored(try await read(database) { try await $0.load(keys) })
        if !found.exists || found.url != nil { return found.url }
        return try await write(database) { transaction, _ in
            // Another request may have stored one since.
            let found = try stored(try await transaction.load(keys))
            if !found.exists || found.url != nil { return found.url }
            let url = ShareURL.random()
            try await transaction.apply([.setEntry(key, url.shortGUID)])
            return url
        }
    }
}
