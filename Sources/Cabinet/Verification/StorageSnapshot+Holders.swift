/// A field that has an asset.
struct AssetHolder: Sendable, Hashable {
    let recordID: RecordID
    let fieldKey: Record.FieldKey
}

extension StorageSnapshot {
    /// Finds a record for each of some assets that has it, by looking at all records that can.
    ///
    /// - Complexity: O(*n*) in the number of records whose type has a field for assets.
    func holders(of checksums: Set<Asset.Checksum>) async throws -> [Asset.Checksum: AssetHolder] {
        var holders: [Asset.Checksum: AssetHolder] = [:]
        let schema = try await schema()
        for type in schema.recordTypes.keys.sorted() {
            let keys = (schema.recordTypes[type] ?? [:]).filter { $0.value.scalar == .asset }.map(\.key).sorted()
            if keys.isEmpty { continue }
            var plan = QueryPlan(
                recordType: type, filter: .constant(true), limit: 1000, keys: keys,
                fields: FieldTypes(of: type, in: schema))
            while holders.count < checksums.count {
                let page = try await records(matching: plan)
                for record in page {
                    for (key, asset) in record.storedAssets
                    where checksums.contains(asset.checksum) && holders[asset.checksum] == nil {
                        holders[asset.checksum] = AssetHolder(recordID: record.recordID, fieldKey: key)
                    }
                }
                guard page.count == plan.limit, let last = page.last else { break }
                plan.position = try plan.position(after: last)
            }
        }
        return holders
    }
}

extension StoredRecord {
    /// The assets of the record, in fields and in lists.
    var storedAssets: [(key: Record.FieldKey, asset: StoredAsset)] {
        var found: [(Record.FieldKey, StoredAsset)] = []
        for (key, value) in zip(fields.names.names, fields.values) {
            switch value {
            case .asset(let asset)?: if let stored = asset.stored { found.append((key, stored)) }
            case .list(.asset(let assets))?: found += assets.compactMap(\.stored).map { (key, $0) }
            default: break
            }
        }
        return found
    }
}
