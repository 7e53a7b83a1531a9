import Foundation

/// The content of a database, as a value, so that a copy of it is a view.
struct MemoryContent: Sendable {
    private(set) var schema = StoredSchema()
    private(set) var entries = SortedMap<StorageKey, String>()

    private var records = SortedMap<HashedID, StoredRecord>()
    /// The records of each type, by insertion number.
    private(set) var tables: [Record.RecordType: SortedMap<Int64, StoredRecord>] = [:]
    /// The records of each zone, by sequence number.
    private(set) var feeds: [RecordZone.ID: SortedMap<Int64, StoredRecord>] = [:]
    /// The deletions of each zone, by sequence number.
    private(set) var deletions: [RecordZone.ID: SortedMap<Int64, StoredDeletion>] = [:]
    /// The sequence number of each record's deletion.
    private var deletionNumbers = SortedMap<HashedID, Int64>()
    /// The references that lead to a record, and the records that hold them.
    private var sources = SortedMap<ReferenceKey, RecordID>()

    private(set) var assets: [Asset.Checksum: Data] = [:]
    /// The records that have an asset.
    private(set) var assetHolders: [Asset.Checksum: Set<RecordID>] = [:]
}

extension MemoryContent {
    func record(for id: RecordID) -> StoredRecord? { records[HashedID(id)] }

    /// The records that refer to a record.
    func sources(of id: RecordID) -> [StoredRecord] { sourceIDs(of: id).compactMap(record) }

    private func sourceIDs(of id: RecordID) -> [RecordID] {
        let target = HashedID(id)
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

    /// The changes of a zone after a sequence number, which is less than the largest one, in their order.
    func changes(in zoneID: RecordZone.ID, after number: Int64) -> some Sequence<StoredChange> {
        Changes(
            records: feeds[zoneID, default: SortedMap()].elements(from: number + 1),
            deletions: deletions[zoneID, default: SortedMap()].elements(from: number + 1))
    }

    mutating func apply(_ mutation: StorageMutation, uploads: UploadBuffer) throws {
        switch mutation {
        case .insert(let record):
            try check(record)
            forgetDeletion(of: record.recordID)
            add(record)
        case .update(let record, let old):
            try update(record, replacing: old)
        case .delete(let deletion, let old):
            remove(old)
            add(deletion)
        case .forgetDeletions(let zoneID, let number):
            for deletion in deletions[zoneID]?.values.prefix(while: { $0.sequenceNumber <= number }) ?? [] {
                forgetDeletion(of: deletion.recordID)
            }
        case .eraseZone(let zoneID):
            for record in feeds[zoneID]?.values.map(\.self) ?? [] { remove(record) }
            for deletion in deletions[zoneID]?.values.map(\.self) ?? [] { forgetDeletion(of: deletion.recordID) }
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

    /// Throws if another record of the type has the insertion number of a record, so that none is lost.
    private func check(_ record: StoredRecord) throws {
        guard let other = tables[record.recordType]?[record.insertionNumber], other.recordID != record.recordID else {
            return
        }
        throw CabinetError(
            .internalError,
            "The record cannot be stored: \(other.recordID) has its insertion number, \(record.insertionNumber).",
            recordID: record.recordID)
    }

    /// Overwrites a record, if its number, its references and its assets are the same.
    private mutating func update(_ record: StoredRecord, replacing old: StoredRecord) throws {
        guard record.insertionNumber == old.insertionNumber, record.hasReferences(of: old), !record.fields.hasAssets,
            !old.fields.hasAssets
        else {
            try check(record)
            remove(old)
            return add(record)
        }
        let zoneID = record.recordID.zoneID
        feeds[zoneID]?[old.sequenceNumber] = nil
        insert(record, HashedID(record.recordID))
    }

    private mutating func add(_ record: StoredRecord) {
        let id = HashedID(record.recordID)
        insert(record, id)
        for reference in record.references {
            sources[ReferenceKey(target: HashedID(reference.target), source: id)] = id.value
        }
        guard record.fields.hasAssets else { return }
        for asset in record.fields.storedAssets { assetHolders[asset.checksum, default: []].insert(id.value) }
    }

    /// Stores a record, or replaces its former state.
    private mutating func insert(_ record: StoredRecord, _ id: HashedID) {
        records[id] = record
        tables[record.recordType, default: SortedMap()][record.insertionNumber] = record
        feeds[id.value.zoneID, default: SortedMap()][record.sequenceNumber] = record
    }

    private mutating func remove(_ record: StoredRecord) {
        let id = HashedID(record.recordID)
        records[id] = nil
        tables[record.recordType]?[record.insertionNumber] = nil
        feeds[id.value.zoneID]?[record.sequenceNumber] = nil
        for reference in record.references {
            sources[ReferenceKey(target: HashedID(reference.target), source: id)] = nil
        }
        guard record.fields.hasAssets else { return }
        for asset in record.fields.storedAssets {
            assetHolders[asset.checksum]?.remove(id.value)
            if assetHolders[asset.checksum]?.isEmpty == true { assetHolders[asset.checksum] = nil }
        }
    }

    private mutating func add(_ deletion: StoredDeletion) {
        let (id, number) = (deletion.recordID, deletion.sequenceNumber)
        deletionNumbers[HashedID(id)] = number
        deletions[id.zoneID, default: SortedMap()][number] = deletion
    }

    private mutating func forgetDeletion(of id: RecordID) {
        guard let number = deletionNumbers[HashedID(id)] else { return }
        deletionNumbers[HashedID(id)] = nil
        deletions[id.zoneID]?[number] = nil
    }
}

/// The records and the deletions of a zone, merged by their sequence numbers.
private struct Changes: Sequence, IteratorProtocol {
    var records: SortedMap<Int64, StoredRecord>.Elements
    var deletions: SortedMap<Int64, StoredDeletion>.Elements

    mutating func next() -> StoredChange? {
        if let deletion = deletions.key, records.key.map({ deletion < $0 }) ?? true {
            return deletions.next().map { .deleted($0.value) }
        }
        return records.next().map { .saved($0.value) }
    }
}

/// A target and a record that refers to it, so that the sources of a target are adjacent.
private struct ReferenceKey: Sendable, Comparable {
    let target: HashedID
    /// The record that holds the reference; `nil` comes first.
    let source: HashedID?

    static func < (left: Self, right: Self) -> Bool {
        if left.target != right.target { return left.target < right.target }
        guard let source = right.source else { return false }
        return left.source.map { $0 < source } ?? true
    }
}

/// A record's ID in the order of hashes, which takes one comparison of numbers instead of one of texts.
private struct HashedID: Sendable, Comparable {
    private let hash: Int
    let value: RecordID

    init(_ value: RecordID) {
        hash = value.hashValue
        self.value = value
    }

    static func == (left: Self, right: Self) -> Bool {
        left.hash == right.hash && left.value == right.value
    }

    static func < (left: Self, right: Self) -> Bool {
        if left.hash != right.hash { return left.hash < right.hash }
        return left.value.precedes(right.value)
    }
}

extension RecordID {
    /// Whether the ID comes before another one with the same hash.
    fileprivate func precedes(_ other: RecordID) -> Bool {
        if !recordName.hasSameScalars(as: other.recordName) { return recordName.precedes(other.recordName) }
        if !zoneID.zoneName.hasSameScalars(as: other.zoneID.zoneName) {
            return zoneID.zoneName.precedes(other.zoneID.zoneName)
        }
        return zoneID.ownerName.precedes(other.zoneID.ownerName)
    }
}

extension String {
    /// Whether the text's bytes precede those of another.
    fileprivate func precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
