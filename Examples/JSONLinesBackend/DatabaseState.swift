import Cabinet
import Foundation

/// The content of a database: a value, so that a view of it is a copy.
struct DatabaseState: Sendable {
    private(set) var schema = StoredSchema()
    private(set) var entries = SortedMap<StorageKey, String>()
    private(set) var records: [RecordID: StoredRecord] = [:]
    private(set) var deletions: [RecordID: StoredDeletion] = [:]
    private(set) var assets: [Asset.Checksum: Data] = [:]

    // The indexes, which are computed from the records and deletions.

    /// The records and deletions of each zone, by the sequence number of the last change.
    private(set) var feeds: [RecordZone.ID: SortedMap<Int64, RecordID>] = [:]
    /// The records that refer to a record with a delete rule.
    private(set) var sources: [RecordID: Set<RecordID>] = [:]
    /// The records that have an asset.
    private(set) var assetHolders: [Asset.Checksum: Set<RecordID>] = [:]
}

extension DatabaseState {
    mutating func apply(_ change: Change) {
        switch change {
        case .addFields(let recordType, let fields):
            schema.recordTypes[recordType, default: [:]].merge(fields.map { ($0.name, $0.type) }) { $1 }
        case .setIndexes(let recordType, let indexes):
            schema.indexes[recordType] = indexes.isEmpty ? nil : indexes
        case .rename(let recordType, let field, let newName):
            let part = SchemaPart(recordType, field)
            guard let newName else { return schema.remove(part) }
            // The indexes have no names of types or fields.
            schema.rename(part, to: newName)
            records = records.mapValues { $0.renaming(part, to: newName) }
            deletions = deletions.mapValues { $0.renaming(part, to: newName) }
        case .save(let record):
            remove(record.recordID)
            add(record)
        case .delete(let deletion):
            remove(deletion.recordID)
            deletions[deletion.recordID] = deletion
            feeds[deletion.recordID.zoneID, default: SortedMap()][deletion.sequenceNumber] = deletion.recordID
        case .forgetDeletions(let zoneID, let number):
            let known = feeds[zoneID]?.values.compactMap { deletions[$0] } ?? []
            for deletion in known where deletion.sequenceNumber <= number { remove(deletion.recordID) }
        case .eraseZone(let zoneID):
            for id in feeds.removeValue(forKey: zoneID)?.values ?? [] { remove(id) }
        case .setEntry(let key, let text): entries[StorageKey(key)] = text
        case .addAsset(let checksum, let bytes): assets[checksum] = bytes
        case .removeAsset(let checksum): assets[checksum] = nil
        }
    }

    /// The shortest list of changes that leads to this state.
    var changes: [Change] {
        schema.recordTypes.map { .addFields(type: $0, fields: $1.map { StoredField(name: $0, type: $1) }) }
            + schema.indexes.map { .setIndexes(type: $0, indexes: $1) }
            + assets.map { .addAsset(checksum: $0, bytes: $1) }
            + records.values.map { .save(record: $0) }
            + deletions.values.map { .delete(deletion: $0) }
            + zip(entries.keys, entries.values).map { .setEntry(key: $0.text, text: $1) }
    }

    private mutating func add(_ record: StoredRecord) {
        let id = record.recordID
        records[id] = record
        feeds[id.zoneID, default: SortedMap()][record.sequenceNumber] = id
        for reference in record.references where reference.hasRule { sources.insert(id, for: reference.target) }
        for asset in record.fields.storedAssets { assetHolders.insert(id, for: asset.checksum) }
    }

    /// Removes a record, or the remembered deletion of its ID.
    private mutating func remove(_ id: RecordID) {
        if let deletion = deletions.removeValue(forKey: id) { feeds[id.zoneID]?[deletion.sequenceNumber] = nil }
        guard let record = records.removeValue(forKey: id) else { return }
        feeds[id.zoneID]?[record.sequenceNumber] = nil
        for reference in record.references where reference.hasRule { sources.remove(id, for: reference.target) }
        for asset in record.fields.storedAssets { assetHolders.remove(id, for: asset.checksum) }
    }
}

/// An index: the records under each key.
extension Dictionary where Value == Set<RecordID> {
    fileprivate mutating func insert(_ id: RecordID, for key: Key) { self[key, default: []].insert(id) }

    fileprivate mutating func remove(_ id: RecordID, for key: Key) {
        self[key]?.remove(id)
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}
