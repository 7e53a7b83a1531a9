import Cabinet

/// A field that has an asset.
struct AssetHolder: Sendable, Hashable {
    let recordID: RecordID
    let fieldKey: Record.FieldKey
}

extension StorageSnapshot {
    /// Finds for each of some assets a record that has it, by reading all records that can have assets.
    ///
    /// - Complexity: O(*n*) in the number of records whose type has a field for assets.
    func holders(of checksums: Set<Asset.Checksum>) async throws -> [Asset.Checksum: AssetHolder] {
        var holders: [Asset.Checksum: AssetHolder] = [:]
        let schema = try await schema()
        for type in schema.recordTypes.keys.sorted() {
            let keys = (schema.recordTypes[type] ?? [:]).filter { $0.value.scalar == .asset }.map(\.key).sorted()
            if keys.isEmpty { continue }
            var plan = try QueryPlan(
                recordType: type, filter: .constant(true), limit: 1000, keys: keys,
                fields: FieldTypes(of: type, in: schema))
            while holders.count < checksums.count {
                let page = try await records(matching: plan)
                for record in page {
                    for (key, asset) in record.fields.assets {
                        guard let checksum = asset.checksum, checksums.contains(checksum), holders[checksum] == nil
                        else { continue }
                        holders[checksum] = AssetHolder(recordID: record.recordID, fieldKey: key)
                    }
                }
                guard page.count == plan.limit, let last = page.last else { break }
                plan = try plan.continued(after: last)
            }
        }
        return holders
    }
}
