import Foundation

/// The content of a database, as a value, so that a copy of it is a view.
struct MemoryContent: Sendable {
    private(set) var schema = StoredSchema()
    private(set) var entries = SortedMap<StorageKey, String>()

    private(set) var records = SortedMap<OrderedID, StoredRecord>()
    private(set) var tables: [Record.RecordType: SortedMap<OrderedID, StoredRecord>] = [:]
    /// The last change of each record of a zone, by sequence number.
    private(set) var feeds: [RecordZone.ID: SortedMap<Int64, StoredChange>] = [:]
    /// The deletions of each zone, by sequence number.
    private(set) var deletions: [RecordZone.ID: SortedMap<Int64, StoredDeletion>] = [:]
    /// The sequence number of each record's deletion.
    private var deletionNumbers = SortedMap<OrderedID, Int64>()
    /// The references that lead to a record, and the records that hold them.
    private var sources = SortedMap<ReferenceKey, RecordID>()

    private(set) var assets: [Asset.Checksum: Data] = [:]
    /// The records that have an asset.
    private(set) var assetHolders: [Asset.Checksum: Set<RecordID>] = [:]
}

extension MemoryContent {
    func record(for id: RecordID) -> StoredRecord? { records[OrderedID(id)] }

    /// The records that refer to a record.
    func sources(of id: RecordID) -> [StoredRecord] { sourceIDs(of: id).compactMap(record) }

    private func sourceIDs(of id: RecordID) -> [RecordID] {
        let target = OrderedID(id)
        return sources.elements(from: ReferenceKey(target: target, source: nil)).prefix { $0.key.target == target }
            .map(\.value)
    }

    func references(to ids: [RecordID]) -> [StoredReference] {
        let targets = Set(ids)
        // A record may refer to two of the targets.
        let found = targets.reduce(into: Set<RecordID>()) { found, id in found.formUnion(sourceIDs(of: id)) }
        // The order of a set differs from run to run, and a cascade deletes in this order.
        let records = found.compactMap(record).sorted { $0.insertionNumber < $1.insertionNumber }
        return records.flatMap { record in
            record.references.filter { $0.hasRule && targets.contains($0.target) }
        }
    }

    mutating func apply(_ mutation: StorageMutation, uploads: UploadBuffer) throws {
        switch mutation {
        case .insert(let record):
            forgetDeletion(of: record.recordID)
            add(record)
        case .update(let record, let old):
            remove(old)
            add(record)
        case .delete(let deletion, let old):
            remove(old)
            add(deletion)
        case .forgetDeletions(let zoneID, let number):
            for deletion in deletions[zoneID]?.values.prefix(while: { $0.sequenceNumber <= number }) ?? [] {
                forgetDeletion(of: deletion.recordID)
            }
        case .eraseZone(let zoneID):
            for change in feeds[zoneID]?.values.map(\.self) ?? [] {
                switch change {
                case .saved(let record): remove(record)
                case .deleted(let deletion): forgetDeletion(of: deletion.recordID)
                }
            }
            feeds[zoneID] = nil
            deletions[zoneID] = nil
        case .addFields(let fields, let recordType):
            var types = schema.recordTypes[recordType] ?? [:]
            for field in fields { types[field.name] = field.type }
            schema.recordTypes[recordType] = types
        case .setIndexes(let indexes, let recordType):
            schema.indexes[recordType] = indexes.isEmpty ? nil : indexes
        case .rename(let part, let newName):
            rename(part, to: newName)
        case .remove(let part):
            schema.remove(part)
        case .setEntry(let key, let text):
            entries[key] = text
        case .addAsset(let asset, let id):
            let bytes = try uploads.bytes(of: id)
            if assets[asset.checksum] == nil { assets[asset.checksum] = bytes }
        case .removeAsset(let checksum):
            assets[checksum] = nil
        }
    }

    private mutating func rename(_ part: SchemaPart, to newName: String) {
        schema.rename(part, to: newName)
        for record in tables[part.recordType]?.values.map(\.self) ?? [] {
            remove(record)
            add(record.renaming(part, to: newName))
        }
        if part.fieldKey != nil { return }
        tables[part.recordType] = nil
        for deletion in deletions.values.flatMap(\.values) where deletion.recordType == part.recordType {
            add(deletion.renaming(part, to: newName))
        }
    }

    private mutating func add(_ record: StoredRecord) {
        let id = OrderedID(record.recordID)
        records[id] = record
        tables[record.recordType, default: SortedMap()][id] = record
        feeds[id.value.zoneID, default: SortedMap()][record.sequenceNumber] = .saved(record)
        for reference in record.references {
            sources[ReferenceKey(target: OrderedID(reference.target), source: id)] = id.value
        }
        guard record.fields.hasAssets else { return }
        for asset in record.fields.storedAssets { assetHolders[asset.checksum, default: []].insert(id.value) }
    }

    private mutating func remove(_ record: StoredRecord) {
        let id = OrderedID(record.recordID)
        records[id] = nil
        tables[record.recordType]?[id] = nil
        feeds[id.value.zoneID]?[record.sequenceNumber] = nil
        for reference in record.references {
            sources[ReferenceKey(target: OrderedID(reference.target), source: id)] = nil
        }
        guard record.fields.hasAssets else { return }
        for asset in record.fields.storedAssets {
            assetHolders[asset.checksum]?.remove(id.value)
            if assetHolders[asset.checksum]?.isEmpty == true { assetHolders[asset.checksum] = nil }
        }
    }

    private mutating func add(_ deletion: StoredDeletion) {
        let (id, number) = (deletion.recordID, deletion.sequenceNumber)
        deletionNumbers[OrderedID(id)] = number
        deletions[id.zoneID, default: SortedMap()][number] = deletion
        feeds[id.zoneID, default: SortedMap()][number] = .deleted(deletion)
    }

    private mutating func forgetDeletion(of id: RecordID) {
        guard let number = deletionNumbers[OrderedID(id)] else { return }
        deletionNumbers[OrderedID(id)] = nil
        deletions[id.zoneID]?[number] = nil
        feeds[id.zoneID]?[number] = nil
    }
}

/// A target and a record that refers to it, in the order of the targets.
private struct ReferenceKey: Sendable, Comparable {
    let target: OrderedID
    /// The record that holds the reference; `nil` comes first.
    let source: OrderedID?

    static func < (left: Self, right: Self) -> Bool {
        if left.target != right.target { return left.target < right.target }
        guard let source = right.source else { return false }
        return left.source.map { $0 < source } ?? true
    }
}

/// A record's ID, ordered by zone, and within a zone by record name.
struct OrderedID: Sendable, Comparable {
    let value: RecordID

    init(_ value: RecordID) {
        self.value = value
    }

    static func < (left: Self, right: Self) -> Bool {
        let (left, right) = (left.value, right.value)
        if left.zoneID == right.zoneID { return left.recordName.precedes(right.recordName) }
        if left.zoneID.zoneName.hasSameScalars(as: right.zoneID.zoneName) {
            return left.zoneID.ownerName.precedes(right.zoneID.ownerName)
        }
        return left.zoneID.zoneName.precedes(right.zoneID.zoneName)
    }
}

extension String {
    /// Whether the text's bytes precede those of another.
    fileprivate func precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
