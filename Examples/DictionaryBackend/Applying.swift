import Cabinet

extension View {
    func load(_ keys: StorageKeys) -> StorageValues {
        let content = content
        return StorageValues(
            records: keys.records.map { content.records[$0]?.trimmed(to: keys.fields) },
            existing: keys.existing.map { content.records[$0] != nil },
            entries: keys.entries.map { content.entries[$0] },
            entryRanges: keys.entryRanges.map { entries(in: $0, limit: .max) },
            schema: content.schema)
    }

    func entries(in range: Range<StorageKey>, limit: Int) -> [StorageEntry] {
        let found = content.entries.filter { range.contains($0.key) }.sorted { $0.key < $1.key }
        return found.prefix(limit).map { StorageEntry(key: $0.key, text: $0.value) }
    }

    func apply(_ mutations: [StorageMutation]) throws {
        var content = content
        for mutation in mutations { try content.apply(mutation, uploads: uploads) }
        self.content = content
    }
}

extension Content {
    mutating func apply(_ mutation: StorageMutation, uploads: UploadBuffer) throws {
        switch mutation {
        case .insert(let record), .update(let record, replacing: _):
            records[record.recordID] = record
            deletions[record.recordID] = nil
        case .delete(let deletion, replacing: _):
            records[deletion.recordID] = nil
            deletions[deletion.recordID] = deletion
        case .forgetDeletions(let zoneID, let number):
            deletions = deletions.filter { $0.key.zoneID != zoneID || $0.value.sequenceNumber > number }
        case .eraseZone(let zoneID):
            records = records.filter { $0.key.zoneID != zoneID }
            deletions = deletions.filter { $0.key.zoneID != zoneID }
        case .addFields(let fields, let recordType):
            schema.recordTypes[recordType, default: [:]].merge(fields.map { ($0.name, $0.type) }) { $1 }
        case .setIndexes(let indexes, let recordType):
            schema.indexes[recordType] = indexes.isEmpty ? nil : indexes
        case .setEntry(let key, let text): entries[key] = text
        case .addAsset(let asset, let id): assets[asset.checksum] = try uploads.bytes(of: id)
        case .removeAsset(let checksum): assets[checksum] = nil
        }
    }
}
