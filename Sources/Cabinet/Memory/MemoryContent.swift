import Foundation

/// What a database holds.
struct MemoryContent: Sendable {
    var schema = StoredSchema()
    var sequenceNumber: Int64 = 0
    var zones: [RecordZone.ID: StoredZone] = [:]
    /// The zones that were removed, each with the number of its last removal.
    var removedZones: [RecordZone.ID: Int64] = [:]
    var records = MemoryRecords()
    /// The deletions that are remembered.
    var deletions: [RecordID: StoredDeletion] = [:]
    /// In which order the records of each zone were changed.
    var logs: [RecordZone.ID: ChangeLog] = [:]
    /// For each record that references with a delete rule point to, the records that hold them.
    var referrers: [RecordID: Set<RecordID>] = [:]
    /// The bytes of assets.
    var assets: [Asset.Checksum: Data] = [:]
    /// For each asset of a record, the records that have it.
    var assetHolders: [Asset.Checksum: Set<RecordID>] = [:]
    /// The subscriptions of each user.
    var subscriptions: [String: [Subscription.ID: Subscription]] = [:]
    /// The notifications of each user.
    var notifications: [String: NotificationLog] = [:]

    /// The changes of one transaction.
    struct Changes: Sendable {
        var schema: StoredSchema?
        var sequenceNumber: Int64?
        /// The new state of each changed zone; `nil` for one that was removed.
        var zones: [RecordZone.ID: StoredZone?] = [:]
        var removedZones: [RecordZone.ID: Int64] = [:]
        /// What happened to each changed record; `nil` if nothing is remembered of it any more.
        var records: [RecordID: StoredChange?] = [:]
        /// The bytes of each asset that was added; `nil` for one that was removed.
        var assets: [Asset.Checksum: Data?] = [:]
        /// The new state of each user's changed subscriptions; `nil` for one that was removed.
        var subscriptions: [String: [Subscription.ID: Subscription?]] = [:]
        /// The new notifications of each user.
        var notifications: [String: [StoredNotification]] = [:]
        /// The numbers up to which users' notifications are forgotten.
        var notificationExpirations: [String: Int64] = [:]
    }

    /// What happened last to a record; `nil` if nothing is known of it.
    func change(of id: RecordID) -> StoredChange? {
        records[id].map(StoredChange.saved) ?? deletions[id].map(StoredChange.deleted)
    }

    mutating func apply(_ changes: Changes) {
        if let schema = changes.schema { self.schema = schema }
        if let sequenceNumber = changes.sequenceNumber { self.sequenceNumber = sequenceNumber }
        for (id, zone) in changes.zones { zones[id] = zone }
        for (id, number) in changes.removedZones {
            removedZones[id] = number
            logs[id] = nil
        }
        for (checksum, bytes) in changes.assets { assets[checksum] = bytes }
        for (user, subscriptions) in changes.subscriptions {
            for (id, subscription) in subscriptions { self.subscriptions[user, default: [:]][id] = subscription }
            if self.subscriptions[user]?.isEmpty == true { self.subscriptions[user] = nil }
        }
        for (user, posted) in changes.notifications { notifications[user, default: NotificationLog()].append(posted) }
        for (user, number) in changes.notificationExpirations {
            notifications[user, default: NotificationLog()].forget(upTo: number)
        }
        var logged: [RecordZone.ID: [(number: Int64, recordID: RecordID)]] = [:]
        for (id, change) in changes.records {
            if !deletions.isEmpty { deletions[id] = nil }
            switch change {
            case .saved(let record): put(record)
            case .deleted(let deletion):
                remove(id)
                deletions[id] = deletion
            case nil: remove(id)
            }
            if let change { logged[id.zoneID, default: []].append((change.sequenceNumber, id)) }
        }
        for (zoneID, changes) in logged { logs[zoneID, default: ChangeLog()].append(changes) }
        // Not as parts of the content: all of it would be copied for each entry.
        let (records, deletions) = (records, deletions)
        for zoneID in logged.keys {
            // Taken out and put back, so that it is changed in place.
            guard var log = logs.removeValue(forKey: zoneID) else { continue }
            log.compact(keeping: records.count + deletions.count) { number, id in
                (records[id]?.sequenceNumber ?? deletions[id]?.sequenceNumber) == number
            }
            logs[zoneID] = log
        }
    }

    private mutating func put(_ record: StoredRecord) {
        let old = records.put(record)
        // Most updates leave the references as they are.
        if old.map(record.hasReferences) != true {
            if let old { removeReferrer(old) }
            for reference in record.references where reference.hasRule {
                referrers[reference.target, default: []].insert(reference.source)
            }
        }
        if let old { removeHolder(old) }
        guard record.fields.hasAssets else { return }
        for asset in record.fields.storedAssets { assetHolders[asset.checksum, default: []].insert(record.recordID) }
    }

    private mutating func remove(_ id: RecordID) {
        guard let record = records.remove(id) else { return }
        removeReferrer(record)
        removeHolder(record)
    }

    private mutating func removeReferrer(_ record: StoredRecord) {
        for reference in record.references where reference.hasRule {
            referrers[reference.target]?.remove(reference.source)
            if referrers[reference.target]?.isEmpty == true { referrers[reference.target] = nil }
        }
    }

    private mutating func removeHolder(_ record: StoredRecord) {
        guard record.fields.hasAssets else { return }
        for asset in record.fields.storedAssets {
            assetHolders[asset.checksum]?.remove(record.recordID)
            if assetHolders[asset.checksum]?.isEmpty == true { assetHolders[asset.checksum] = nil }
        }
    }
}
