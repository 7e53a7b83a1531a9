import Cabinet
import Foundation

/// All that is known of one database.
struct DatabaseState: Sendable {
    private(set) var schema = StoredSchema()
    private(set) var lastNumber: Int64 = 0
    private(set) var zones: [RecordZone.ID: StoredZone] = [:]
    private(set) var removedZones: [RecordZone.ID: Int64] = [:]
    private(set) var records: [RecordID: StoredRecord] = [:]
    private(set) var deletions: [RecordID: StoredDeletion] = [:]
    private(set) var subscriptions: [StoredSubscription] = []
    private(set) var notifications: [String: [StoredNotification]] = [:]
    private(set) var forgottenNotifications: [String: Int64] = [:]
    private(set) var assets: [Asset.Checksum: Data] = [:]

    // What follows is computed of the records, so that nobody has to look at all of them.
    private(set) var feeds: [RecordZone.ID: Feed] = [:]
    private(set) var referrers: [RecordID: Set<RecordID>] = [:]
    private(set) var assetHolders: [Asset.Checksum: Set<RecordID>] = [:]

    mutating func apply(_ fact: Fact) {
        switch fact {
        case .numbersReserved(let number): lastNumber = max(lastNumber, number)
        case .fieldsAdded(let fields, let type):
            var known = schema.recordTypes[type] ?? [:]
            for field in fields { known[field.name] = field.type }
            schema.recordTypes[type] = known
        case .indexesSet(let indexes, let type): schema.indexes[type] = indexes.isEmpty ? nil : indexes
        case .zone(let zone): zones[zone.zoneID] = zone
        case .zoneRemoved(let id, let number):
            zones[id] = nil
            removedZones[id] = number
            feeds[id] = nil
            for record in records.keys where record.zoneID == id { forgetRecord(record) }
            for record in deletions.keys where record.zoneID == id { deletions[record] = nil }
        case .record(let record): keep(record)
        case .deletion(let deletion):
            forgetRecord(deletion.recordID)
            deletions[deletion.recordID] = deletion
            note(deletion.recordID, deletion.sequenceNumber)
        case .deletionsForgotten(let zone, let number):
            for (id, deletion) in deletions where id.zoneID == zone && deletion.sequenceNumber <= number {
                deletions[id] = nil
            }
            zones[zone]?.expirationNumber = number
        case .subscription(let new):
            apply(.subscriptionRemoved(new.subscription.subscriptionID, user: new.userName))
            subscriptions.append(new)
        case .subscriptionRemoved(let id, let user):
            subscriptions.removeAll { $0.userName == user && $0.subscription.subscriptionID == id }
        case .notification(let new):
            notifications[new.userName, default: []].removeAll { old in
                old.replacementKey != nil && old.replacementKey == new.replacementKey
            }
            notifications[new.userName, default: []].append(new)
        case .notificationsForgotten(let user, let number):
            notifications[user]?.removeAll { $0.sequenceNumber <= number }
            forgottenNotifications[user] = number
        case .asset(let asset, let bytes): assets[asset.checksum] = bytes
        case .assetRemoved(let checksum): assets[checksum] = nil
        }
    }

    private mutating func keep(_ record: StoredRecord) {
        let id = record.recordID
        forgetRecord(id)
        records[id] = record
        for reference in record.references where reference.hasRule {
            referrers[reference.target, default: []].insert(id)
        }
        for asset in record.fields.storedAssets { assetHolders[asset.checksum, default: []].insert(id) }
        note(id, record.sequenceNumber)
    }

    /// Removes a record or its deletion.
    private mutating func forgetRecord(_ id: RecordID) {
        deletions[id] = nil
        guard let record = records.removeValue(forKey: id) else { return }
        for reference in record.references where reference.hasRule {
            referrers[reference.target]?.remove(id)
            if referrers[reference.target]?.isEmpty == true { referrers[reference.target] = nil }
        }
        for asset in record.fields.storedAssets {
            assetHolders[asset.checksum]?.remove(id)
            if assetHolders[asset.checksum]?.isEmpty == true { assetHolders[asset.checksum] = nil }
        }
    }

    private mutating func note(_ id: RecordID, _ number: Int64) {
        // Taken out and put back, so that it is changed in place.
        var feed = feeds.removeValue(forKey: id.zoneID) ?? Feed()
        feed.append(id, number)
        feed.compact(keeping: records.count + deletions.count) { self.number(of: $0) }
        feeds[id.zoneID] = feed
    }

    /// The number of the last change of a record.
    func number(of id: RecordID) -> Int64? {
        records[id]?.sequenceNumber ?? deletions[id]?.sequenceNumber
    }

    /// The fewest facts that make this database.
    var facts: [Fact] {
        var facts: [Fact] = [.numbersReserved(upTo: lastNumber)]
        for (type, fields) in schema.recordTypes {
            facts.append(.fieldsAdded(fields.map { StoredField(name: $0, type: $1) }, recordType: type))
        }
        facts += schema.indexes.map { .indexesSet($1, recordType: $0) }
        facts += removedZones.map { .zoneRemoved($0, number: $1) }
        facts += zones.values.map { .zone($0) }
        facts += assets.map { .asset(StoredAsset(checksum: $0, size: Int64($1.count)), bytes: $1) }
        let changes = records.values.map { ($0.sequenceNumber, Fact.record($0)) }
        facts += (changes + deletions.values.map { ($0.sequenceNumber, .deletion($0)) })
            .sorted { $0.0 < $1.0 }.map(\.1)
        facts += subscriptions.map { .subscription($0) }
        facts += notifications.values.joined().map { .notification($0) }
        facts += forgottenNotifications.map { .notificationsForgotten(user: $0, upTo: $1) }
        return facts
    }
}
