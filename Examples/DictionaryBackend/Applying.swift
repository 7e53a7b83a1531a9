import Cabinet

extension View {
    func load(_ keys: StorageKeys) -> StorageValues {
        let records = keys.records.map { content.records[$0] }
        let ranges = keys.entryRanges.map { entries(in: $0, limit: .max) }
        return StorageValues(
            records: records.map { $0?.trimmed(to: keys.fields) },
            existing: keys.existing.map { content.records[$0] != nil },
            entries: keys.entries.map { content.entries[$0] },
            entryRanges: ranges, schema: content.schema)
    }

    func entries(in range: Range<StorageKey>, limit: Int) -> [StorageEntry] {
        let entries = content.entries.filter { range.contains($0.key) }
        let first = entries.sorted { $0.key < $1.key }.prefix(limit)
        return first.map { StorageEntry(key: $0.key, text: $0.value) }
    }

    func apply(_ mutations: [StorageMutation]) throws {
        var content = content
        for each in mutations { try content.apply(each, uploads: uploads) }
        self.content = content
    }
}

extension Content {
    mutating func apply(
        _ mutation: StorageMutation, uploads: UploadBuffer
    ) throws {
        switch mutation {
        case .insert(let record), .update(let record, replacing: _):
            records[record.recordID] = record
            deletions[record.recordID] = nil
        case .delete(let deletion, replacing: _):
            records[deletion.recordID] = nil
            deletions[deletion.recordID] = deletion
        case .forgetDeletions(let zoneID, let number):
            deletions = deletions.filter {
                $0.key.zoneID != zoneID || $0.value.sequenceNumber > number
            }
        case .eraseZone(let zoneID):
            records = records.filter { $0.key.zoneID != zoneID }
            deletions = deletions.filter { $0.key.zoneID != zoneID }
        case .addFields(let fields, let recordType):
            let types = fields.map { ($0.name, $0.type) }
            schema.recordTypes[recordType, default: [:]].merge(types) { $1 }
        case .setIndexes(let indexes, let recordType):
            schema.indexes[recordType] = indexes.isEmpty ? nil : indexes
        case .rename(let part, let newName):
            schema.rename(part, to: newName)
            records = records.mapValues { $0.renaming(part, to: newName) }
            deletions = deletions.mapValues { $0.renaming(part, to: newName) }
        case .remove(let part): schema.remove(part)
        case .setEntry(let key, let text): entries[key] = text
        case .addAsset(let asset, let id):
            assets[asset.checksum] = try uploads.bytes(of: id)
        case .removeAsset(let checksum): assets[checksum] = nil
        }
    }
}
