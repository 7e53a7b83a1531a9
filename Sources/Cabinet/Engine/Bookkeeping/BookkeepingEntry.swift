/// One piece of the core's bookkeeping, decoded from the entry that stores it.
///
/// The core decodes entries itself. This type is for tools, which read and write whole databases.
package enum BookkeepingEntry: Sendable {
    /// The state of the database.
    case state(DatabaseState)

    /// A zone.
    case zone(StoredZone)

    /// The last removal of a zone, as this version or an earlier one stores it.
    case zoneRemoval(ZoneRemoval)

    /// The highest sequence number of a forgotten removal.
    case zoneRemovalExpiration(sequenceNumber: Int64)

    /// A user's subscription, as this version or an earlier one stores it.
    case subscription(StoredSubscription)

    /// A user's notification.
    case notification(StoredNotification)

    /// The highest sequence number of a user's forgotten notifications.
    case notificationExpiration(userName: String, sequenceNumber: Int64)

    /// A local change that a mirror has not sent.
    case pendingChange(PendingChange)

    /// A zone of a mirror.
    case mirrorZone(MirrorZone)

    /// The numbers of pending changes of a mirror.
    case pendingCounts(PendingCounts)

    /// The kinds of entries.
    package enum Kind: Sendable, CaseIterable {
        case state, zone, zoneRemoval, earlierZoneRemoval, zoneRemovalExpiration, subscription, earlierSubscription,
            notification, latestNotification, notificationExpiration, pendingChange, mirrorZone, pendingCounts
    }
}

extension BookkeepingEntry.Kind {
    /// The keys of all entries of the kind.
    package var keys: Range<StorageKey> {
        switch self {
        case .state: DatabaseState.key..<DatabaseState.key.next
        case .zone: StoredZone.allKeys
        case .zoneRemoval: ZoneRemoval.allKeys
        case .earlierZoneRemoval: ZoneRemoval.allEarlierKeys
        case .zoneRemovalExpiration: ZoneRemoval.expirationKey..<ZoneRemoval.expirationKey.next
        case .subscription: StoredSubscription.allKeys
        case .earlierSubscription: StoredSubscription.allEarlierKeys
        case .notification: StoredNotification.allNumberedKeys
        case .latestNotification: StoredNotification.allLatestKeys
        case .notificationExpiration: StoredNotification.allExpirationKeys
        case .pendingChange: PendingChange.allKeys
        case .mirrorZone: MirrorZone.allKeys
        case .pendingCounts: PendingCounts.key..<PendingCounts.key.next
        }
    }
}

extension BookkeepingEntry {
    /// Decodes an entry.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - kind: The kind whose keys include the entry's.
    /// - Throws: ``CabinetError/Code/internalError`` if the entry's text is not one of this kind, or belongs under another key.
    package init(_ entry: StorageEntry, as kind: Kind) throws(CabinetError) {
        switch kind {
        case .state: self = .state(try DatabaseState(entry: entry.text))
        case .zone: self = .zone(try StoredZone(entry))
        case .zoneRemoval: self = .zoneRemoval(try ZoneRemoval(entry))
        case .earlierZoneRemoval:
            self = .zoneRemoval(try ZoneRemoval(earlier: entry))
            return
        case .zoneRemovalExpiration: self = .zoneRemovalExpiration(sequenceNumber: try entry.number())
        case .subscription: self = .subscription(try entry.decoded())
        case .earlierSubscription:
            let stored: StoredSubscription = try entry.decoded()
            if stored.earlierKey != entry.key { throw .damagedEntry(entry.key, entry.text) }
            self = .subscription(stored)
            return
        case .notification, .latestNotification: self = .notification(try entry.decoded())
        case .notificationExpiration:
            guard let name = entry.key.names.last else { throw .damagedEntry(entry.key, entry.text) }
            self = .notificationExpiration(userName: name, sequenceNumber: try entry.number())
        case .pendingChange: self = .pendingChange(try PendingChange(entry))
        case .mirrorZone: self = .mirrorZone(try MirrorZone(entry))
        case .pendingCounts: self = .pendingCounts(try PendingCounts(text: entry.text))
        }
        if key != entry.key { throw .damagedEntry(entry.key, entry.text) }
    }

    /// The key of the entry.
    package var key: StorageKey {
        switch self {
        case .state: DatabaseState.key
        case .zone(let zone): StoredZone.key(zone.zoneID)
        case .zoneRemoval(let removal): removal.key
        case .zoneRemovalExpiration: ZoneRemoval.expirationKey
        case .subscription(let stored): stored.key
        case .notification(let notification): notification.key
        case .notificationExpiration(let userName, _): StoredNotification.expirationKey(of: userName)
        case .pendingChange(let change): PendingChange.key(change.recordID)
        case .mirrorZone(let zone): MirrorZone.key(zone.zoneID)
        case .pendingCounts: PendingCounts.key
        }
    }

    /// The user that the key of a notification or an expiration names.
    package static func userName(in key: StorageKey) -> String? {
        key.names.dropFirst().first
    }

    /// The mutation that stores the entry, unless it is a subscription, which has several: ``SubscriptionMutations``.
    package func mutation() throws -> StorageMutation {
        switch self {
        case .state(let state): state.mutation
        case .zone(let zone): zone.mutation
        case .subscription(let stored): .setEntry(key, try StorageEntry.text(of: stored))
        case .notification(let notification): .setEntry(key, try StorageEntry.text(of: notification))
        case .pendingChange(let change): try change.mutation
        case .mirrorZone(let zone): try zone.mutation
        case .pendingCounts(let counts): counts.mutation
        case .zoneRemoval(let removal): .setEntry(key, removal.text)
        case .zoneRemovalExpiration(let number), .notificationExpiration(_, let number): .setEntry(key, "\(number)")
        }
    }
}

extension StorageEntry {
    /// Reads a sequence number from the entry.
    func number() throws(CabinetError) -> Int64 {
        guard let number = Int64(text) else { throw .damagedEntry(key, text) }
        return number
    }
}
