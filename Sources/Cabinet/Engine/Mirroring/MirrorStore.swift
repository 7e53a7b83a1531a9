/// The local copy of one database of a server, with what is pending in it.
package struct MirrorStore: Sendable {
    let service: LocalDatabaseService
    let database: DatabaseKey
    /// Answers requests whose changes are not pending, because they come from the server.
    let handler: LocalRequestHandler
    let policy: MirrorPolicy

    /// Creates the store of a user.
    ///
    /// - Parameters:
    ///   - service: The local service, which keeps a journal.
    ///   - caller: The user, and the device that changes the records as the server has them.
    ///   - policy: The decisions about conflicts.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without a user.
    package init(_ service: LocalDatabaseService, for caller: Caller, policy: MirrorPolicy) throws {
        self.service = service
        self.policy = policy
        var handler = LocalRequestHandler(service: service, caller: caller)
        handler.isFromServer = true
        database = try handler.databaseToWrite(.private).key
        self.handler = handler
    }

    /// The numbers of pending changes.
    package func counts() async throws -> PendingCounts { try await pendingState().counts }

    /// The numbers of pending changes, with the last number of the store.
    package func pendingState() async throws -> PendingState {
        try await handler.read(database) { [policy] snapshot in
            let texts = try await snapshot.load(StorageKeys(entries: [PendingCounts.key, DatabaseState.key])).entries
            return PendingState(
                counts: try PendingCounts(text: texts[0]),
                number: try DatabaseState(entry: texts[1]).lastSequenceNumber,
                lacksAssets: try await policy.lacksAssets(snapshot))
        }
    }

    /// Whether something is pending that is not set aside, or a request was not answered.
    package func hasUnsent() async throws -> Bool {
        let counts = try await counts()
        if counts.pending > counts.setAside { return true }
        if try await !rereads(limit: 1).isEmpty { return true }
        return try await batch() != nil
    }

    /// The records that a fetch has brought while a change of them was on the way.
    ///
    /// Only the answer says what their pending change is based on. They are read again after it, from the server.
    package func rereads(limit: Int) async throws -> [RecordID] {
        try await handler.read(database) { snapshot in
            try await snapshot.entries(in: MirrorEntries.rereadKeys, limit: limit).compactMap {
                MirrorEntries.recordID($0.key)
            }
        }
    }

    /// The position in the server's list of changed zones; `nil` before the first page.
    package func databasePosition() async throws -> FeedPosition? {
        try await text(of: Self.positionKey).map { text in
            try StorageEntry(key: Self.positionKey, text: text).codedValue()
        }
    }

    /// The zones that the mirror knows.
    package func zones() async throws -> [MirrorZone] {
        try await handler.read(database) { try await $0.allEntries(in: MirrorZone.allKeys).map { try MirrorZone($0) } }
    }

    /// The errors of the zones whose creation or deletion is set aside.
    package func refusedZones() async throws -> [RecordZone.ID: CabinetError] {
        let errors = try await zones().compactMap { zone in zone.error.map { (zone.zoneID, $0) } }
        return Dictionary(errors, uniquingKeysWith: { first, _ in first })
    }

    /// The request whose answer was not applied.
    package func batch() async throws -> MirrorBatch? {
        try await text(of: MirrorBatch.key).map { text in
            try StorageEntry(key: MirrorBatch.key, text: text).codedValue()
        }
    }

    /// The zones that exist locally, without the default zone.
    package func localZoneIDs() async throws -> [RecordZone.ID] {
        try await handler.read(database) { try await $0.zones(for: nil).map(\.zoneID).filter { $0 != .default } }
    }

    /// Returns the request that adds the keys of a zone's encrypted values to the server's zone; `nil` if the local zone has none.
    ///
    /// A zone has keys here only if the store was a plain one. They are wrapped, so they can be sent without the user's secret key.
    package func requestForKeys(of zoneID: RecordZone.ID) async throws -> ModifyZonesRequest? {
        let keys = try await handler.read(database) { try await $0.keys(of: [zoneID]) }.filter { !$0.keys.isEmpty }
        return keys.isEmpty ? nil : ModifyZonesRequest(keysToAdd: keys)
    }

    /// Whether a zone exists locally.
    package func exists(_ zoneID: RecordZone.ID) async throws -> Bool {
        if zoneID == .default { return true }
        return try await text(of: StoredZone.key(zoneID)) != nil
    }

    /// Reads pending changes in the order of their keys.
    ///
    /// - Parameters:
    ///   - id: The record after which to begin; `nil` for the beginning.
    ///   - limit: The maximum number of changes.
    package func pending(after id: RecordID?, limit: Int) async throws -> [PendingRecord] {
        try await pendingPage(after: id, limit: limit).items
    }

    /// Reads pending changes in the order of their keys, and the zones whose own changes were not sent at that moment.
    package func pendingPage(
        after id: RecordID?, limit: Int
    ) async throws -> (items: [PendingRecord], unsentZones: Set<RecordZone.ID>) {
        try await handler.read(database) { snapshot in
            var range = PendingChange.allKeys
            if let id { range = PendingChange.key(id).next..<range.upperBound }
            var reader = PendingChange.Reader()
            let changes = try await snapshot.entries(in: range, limit: limit).map { try reader.change($0) }
            let values = try await snapshot.load(
                StorageKeys(
                    records: changes.map(\.recordID), entries: [DatabaseState.key], entryRanges: [MirrorZone.allKeys]))
            let version = try MirrorVersion(values)
            let zones = try values.entryRanges.joined().map { try MirrorZone($0) }
            return (
                zip(changes, values.records).map { PendingRecord($0, $1, version) },
                Set(zones.filter { $0.change != nil }.map(\.zoneID))
            )
        }
    }

    /// Reads the pending changes of some records.
    package func pending(_ ids: [RecordID]) async throws -> [RecordID: PendingRecord] {
        if ids.isEmpty { return [:] }
        return try await handler.read(database) { snapshot in
            let keys = ids.map(PendingChange.key)
            let values = try await snapshot.load(StorageKeys(records: ids, entries: [DatabaseState.key] + keys))
            let version = try MirrorVersion(values)
            var found: [RecordID: PendingRecord] = [:]
            for (position, text) in values.entries.dropFirst().enumerated() {
                guard let text else { continue }
                let change = try PendingChange(ids[position], StorageEntry(key: keys[position], text: text))
                found[change.recordID] = PendingRecord(change, values.records[position], version)
            }
            return found
        }
    }

    /// Reads the local records of a zone, in the order of their last changes, which the server is known to have had.
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - number: The local number after which to begin.
    ///   - last: The local number at which to end.
    ///   - limit: The maximum number of records to read.
    /// - Returns: The records, and the number after which to continue; `nil` at the end.
    package func serverRecords(
        in zoneID: RecordZone.ID, after number: Int64, through last: Int64, limit: Int
    ) async throws -> (ids: [RecordID], next: Int64?) {
        try await handler.read(database) { snapshot in
            let changes = try await snapshot.changes(
                in: zoneID, after: number, limit: limit, of: .all(fields: [StoredRecord.serverTagKey]))
            let found = changes.filter { $0.sequenceNumber <= last }
            let ids = found.compactMap { $0.record.flatMap { $0.serverTag == nil ? nil : $0.recordID } }
            let end = found.last?.sequenceNumber
            return (ids, found.count == limit ? end : nil)
        }
    }

    /// Reads the local records of a zone, in the order of their last changes, in the versions that the server is known to have had.
    ///
    /// Records with pending changes are left out; otherwise as ``serverRecords(in:after:through:limit:)``.
    package func serverVersions(
        in zoneID: RecordZone.ID, after number: Int64, through last: Int64, limit: Int
    ) async throws -> (records: [Record], next: Int64?) {
        try await handler.read(database) { snapshot in
            let changes = try await snapshot.changes(in: zoneID, after: number, limit: limit, of: .all(fields: nil))
            let found = changes.filter { $0.sequenceNumber <= last }
            let records = found.compactMap { $0.record?.serverVersion }
            let pending = try await snapshot.load(
                StorageKeys(entries: records.map { PendingChange.key($0.recordID) })
            ).entries
            return (
                zip(records, pending).filter { $1 == nil }.map(\.0),
                found.count == limit ? found.last?.sequenceNumber : nil
            )
        }
    }

    /// Reads the IDs of the local records of a zone, in the order of their last changes.
    package func recordIDs(
        in zoneID: RecordZone.ID, after number: Int64, through last: Int64, limit: Int
    ) async throws -> (ids: [RecordID], next: Int64?) {
        try await handler.read(database) { snapshot in
            let changes = try await snapshot.changes(in: zoneID, after: number, limit: limit, of: .all(fields: []))
            let found = changes.filter { $0.sequenceNumber <= last }
            return (
                found.compactMap { $0.record?.recordID },
                found.count == limit ? found.last?.sequenceNumber : nil
            )
        }
    }

    /// Reads the IDs of some records with pending changes in a zone.
    package func pendingIDs(in zoneID: RecordZone.ID, limit: Int) async throws -> [RecordID] {
        try await handler.read(database) { snapshot in
            try await snapshot.entries(in: PendingChange.keys(in: zoneID), limit: limit).map {
                try PendingChange($0).recordID
            }
        }
    }

    /// Creates and deletes zones as the server has done it.
    package func change(creating new: [RecordZone.ID], deleting old: [RecordZone.ID]) async throws {
        if new.isEmpty && old.isEmpty { return }
        var request = ModifyZonesRequest(in: .private)
        request.zonesToSave = new.map { RecordZone(zoneID: $0) }
        request.zoneIDsToDelete = old
        let response = try await handler.response(to: request)
        let errors = response.saveResults.compactMap { result -> CabinetError? in
            if case .failure(let error) = result { error } else { nil }
        }
        for error in errors + response.deleteErrors.compactMap(\.self) where error.code != .zoneNotFound { throw error }
    }

    /// Returns the records among some that are stored here, or have a pending change.
    package func known(_ ids: [RecordID]) async throws -> Set<RecordID> {
        if ids.isEmpty { return [] }
        return try await handler.read(database) { snapshot in
            let values = try await snapshot.load(
                StorageKeys(existing: ids, entries: ids.map(PendingChange.key)))
            return Set(ids.indices.filter { values.existing[$0] || values.entries[$0] != nil }.map { ids[$0] })
        }
    }

    /// The last number of the local store.
    package func lastNumber() async throws -> Int64 {
        try DatabaseState(entry: try await text(of: DatabaseState.key)).lastSequenceNumber
    }

    /// The text that describes which records the program has mirrored so far; `nil` for all of them.
    package func selection() async throws -> String? { try await text(of: Self.selectionKey) }

    /// The container of the server that the copy belongs to; `nil` before the first fetch or send.
    package func server() async throws -> String? { try await text(of: Self.serverKey) }

    /// The state of the queries for the records of the public database.
    package func queries() async throws -> MirrorQueries {
        let queries: MirrorQueries? = try await text(of: MirrorQueries.key).map { text in
            try StorageEntry(key: MirrorQueries.key, text: text).codedValue()
        }
        return queries ?? MirrorQueries()
    }

    /// Forgets all that the copy knows of its server, after its records were deleted.
    ///
    /// - Parameter lease: The lease of the process, which stays.
    package func forgetServer(holding lease: MirrorLease) async throws {
        let date = service.now()
        try await handler.write(database) { transaction, _ in
            let entries = try await transaction.allEntries(in: StorageKey.all("mirror"))
            try lease.check(entries.first { $0.key == MirrorLease.key }?.text, at: date)
            // The keys of other zones went with them.
            try await transaction.apply(
                entries.filter { $0.key != MirrorLease.key }.map { .setEntry($0.key, nil) }
                    + [.setEntry(ZoneKeys.key(.default), nil), lease.mutation(at: date)]
            )
        }
    }

    /// Returns the copy of another database, or of another user, in the same store.
    package func copy(of scope: DatabaseScope, for userRecordName: String) throws -> MirrorStore {
        let other = try LocalDatabaseService(
            mirrorIn: service.backend, of: scope, limits: service.limits, changeRetention: service.retention,
            now: service.now)
        let account = Account(userRecordName: userRecordName)
        return try MirrorStore(other, for: Caller(account: account, deviceID: handler.caller.deviceID), policy: policy)
    }

    /// Returns the users, besides the own one, whose records are mirrored in the same store.
    ///
    /// - Returns: The record names; none if the store cannot list its databases.
    package func otherUsers() async throws -> [String] {
        guard let list = service.backend.abilities.databases else { return [] }
        var found: Set<String> = []
        for case .private(let owner) in try await list.databases()
        where owner != handler.userRecordName && NameGrammar.userRecordName.allows(owner) {
            let text = try await handler.read(.private(owner: owner)) {
                try await $0.load(StorageKeys(entries: [Self.serverKey])).entries.first ?? nil
            }
            if text != nil { found.insert(owner) }
        }
        return found.sorted()
    }

    /// The key of the server's container, which a store of a mirror has from the first fetch or send on.
    package static let serverKey = StorageKey("mirror", "server")
    static let positionKey = StorageKey("mirror", "position")
    static let selectionKey = StorageKey("mirror", "selection")

    private func text(of key: StorageKey) async throws -> String? {
        try await handler.read(database) { try await $0.load(StorageKeys(entries: [key])).entries.first ?? nil }
    }
}

extension MirrorVersion {
    /// Creates the version of loaded values, whose first entry is that of the database.
    fileprivate init(_ values: StorageValues) throws {
        self.init(try DatabaseState(entry: values.entries.first ?? nil), values.schema)
    }
}
