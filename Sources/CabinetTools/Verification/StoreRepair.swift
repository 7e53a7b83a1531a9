import Cabinet

/// Repairs damage that can be repaired without loss, in one transaction.
///
/// It does not rely on earlier findings, because other writers may have changed the store since. Correct content stays,
/// so that a second repair changes nothing.
struct StoreRepair {
    let transaction: any StorageTransaction

    /// The number of changes, and of assets, that are read at a time.
    private static let pageSize = 1000
    /// Numbers beyond it were never assigned.
    private static let highestNumber: Int64 = 1 << 62

    func run() async throws {
        try await raiseNumbers()
        try await forgetNotifications()
        try await repairZoneRemovals()
        try await transaction.apply(try await transaction.mutationsRepairingSubscriptions())
        let schema = try await transaction.schema()
        try await transaction.apply(try await transaction.mutationsRepairingParticipations(schema: schema))
        if let counts = try await transaction.recountedChanges() {
            try await transaction.apply([try BookkeepingEntry.pendingCounts(counts).mutation()])
        }
        try await removeUnusedAssets()
    }

    /// Raises the number of each zone's last change, and the last number of the database.
    private func raiseNumbers() async throws {
        var highest: Int64 = 0
        var zones: [RecordZone.ID: StoredZone?] = [.default: nil]
        try await transaction.forEachEntryPage(of: .zone) { page in
            for case .zone(let zone) in page.entries { zones[zone.zoneID] = zone }
            // An unreadable entry is not overwritten.
            for id in page.damaged.compactMap({ RecordZone.ID($0.key) }) { zones.removeValue(forKey: id) }
        }
        for (id, stored) in zones {
            var zone = stored ?? StoredZone(zoneID: id, creatorName: "", creationNumber: 0, changeNumber: 0)
            let last = try await lastChange(in: id, after: zone.changeNumber)
            highest = max(highest, last)
            if last == zone.changeNumber { continue }
            zone.changeNumber = last
            try await transaction.apply([try BookkeepingEntry.zone(zone).mutation()])
        }
        for kind in [BookkeepingEntry.Kind.zoneRemoval, .earlierZoneRemoval, .notification, .latestNotification] {
            try await transaction.forEachEntryPage(of: kind) { page in
                highest = page.entries.compactMap(\.sequenceNumber).filter { $0 < Self.highestNumber }
                    .reduce(highest, max)
            }
        }
        try await transaction.forEachEntryPage(of: .state) { page in
            // An unreadable state is replaced.
            if !page.damaged.isEmpty { try await transaction.apply(page.damaged.map { .setEntry($0.key, nil) }) }
        }
        if highest < Self.highestNumber { try await transaction.reserveSequenceNumbers(upTo: highest) }
    }

    /// The number of the last readable change in a zone; an unreadable one has a finding of its own.
    private func lastChange(in zoneID: RecordZone.ID, after known: Int64) async throws -> Int64 {
        var last = known
        do {
            while let change = try await transaction.changes(
                in: zoneID, after: last, limit: Self.pageSize, of: .all(fields: [])
            ).last, change.sequenceNumber > last {
                last = change.sequenceNumber
            }
        } catch {
            try StoreVerifier.rethrowInterruption(error)
        }
        return last
    }

    /// Stores how removals of zones are found, and replaces an unreadable or impossible number of the last forgotten one.
    ///
    /// All present tokens of the database then expire, because it is not known which removals were forgotten.
    private func repairZoneRemovals() async throws {
        try await transaction.apply(try await transaction.mutationsRepairingZoneRemovals())
        let last = try await transaction.lastSequenceNumber()
        try await transaction.forEachEntryPage(of: .zoneRemovalExpiration) { page in
            for case .zoneRemovalExpiration(let number) in page.entries where (0...last).contains(number) { return }
            let expiration = BookkeepingEntry.zoneRemovalExpiration(sequenceNumber: last)
            try await transaction.apply([try expiration.mutation()])
        }
    }

    /// Forgets all notifications of users with an unreadable one, or with an unreadable expiration.
    ///
    /// The clients of these users receive an error that their tokens have expired, and fetch the changes.
    private func forgetNotifications() async throws {
        let last = try await transaction.lastSequenceNumber()
        var users: Set<String> = []
        try await transaction.forEachEntryPage(of: .notificationExpiration) { page in
            for case .notificationExpiration(let userName, let number) in page.entries
            where number < 0 || number > last { users.insert(userName) }
            users.formUnion(page.damaged.compactMap { BookkeepingEntry.userName(in: $0.key) })
        }
        let kinds = [BookkeepingEntry.Kind.notification, .latestNotification]
        for kind in kinds {
            try await transaction.forEachEntryPage(of: kind) { page in
                let damaged = page.damaged.filter(\.isMalformedNotification)
                users.formUnion(damaged.compactMap { BookkeepingEntry.userName(in: $0.key) })
            }
        }
        if users.isEmpty { return }
        for kind in kinds {
            var reader = EntryReader(kind, in: transaction)
            while let page = try await reader.next() {
                let old = (page.entries.map(\.key) + page.damaged.map(\.key))
                    .filter { BookkeepingEntry.userName(in: $0).map(users.contains) == true }
                try await transaction.apply(old.map { .setEntry($0, nil) })
            }
        }
        try await transaction.apply(
            users.map { try BookkeepingEntry.notificationExpiration(userName: $0, sequenceNumber: last).mutation() })
    }

    /// Removes assets that no record has.
    ///
    /// Bytes that are needed must never be removed: every record that can have an asset is read, and if one cannot be
    /// read, no asset is removed.
    private func removeUnusedAssets() async throws {
        guard let assets = transaction.abilities.assets else { return }
        var last: Asset.Checksum?
        while true {
            let page = try await assets.assets(after: last, limit: Self.pageSize)
            var unused = Set(page.map(\.checksum))
            if !unused.isEmpty { unused.subtract(try await assets.assetsInUse(among: Array(unused))) }
            if !unused.isEmpty {
                do {
                    unused.subtract(try await transaction.holders(of: unused).keys)
                } catch {
                    return try StoreVerifier.rethrowInterruption(error)
                }
            }
            if !unused.isEmpty { try await transaction.apply(unused.sorted().map(StorageMutation.removeAsset)) }
            guard page.count == Self.pageSize, let checksum = page.last?.checksum else { return }
            last = checksum
        }
    }
}

extension BookkeepingEntry {
    /// The number of the removal or the notification.
    fileprivate var sequenceNumber: Int64? {
        switch self {
        case .zoneRemoval(let removal): removal.sequenceNumber
        case .notification(let notification): notification.sequenceNumber
        default: nil
        }
    }
}
