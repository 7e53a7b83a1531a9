/// Removes stored assets that no record has any more.
package enum AssetRule {
    /// Removes the given assets that no record has.
    package static func removeUnused(
        _ candidates: Set<Asset.Checksum>, in transaction: any StorageTransaction
    ) async throws {
        if candidates.isEmpty { return }
        let used = try await transaction.assetsInUse(among: Array(candidates))
        let unused = Array(candidates.subtracting(used))
        let stored = try await transaction.assets(for: unused).compactMap { $0?.checksum }
        if !stored.isEmpty { try await transaction.apply(stored.map(StorageMutation.removeAsset)) }
    }

    /// Removes all assets that no record has.
    package static func removeAllUnused(in transaction: any StorageTransaction) async throws {
        var last: Asset.Checksum?
        while true {
            let page = try await transaction.assets(after: last, limit: 1000)
            try await removeUnused(Set(page.map(\.checksum)), in: transaction)
            guard page.count == 1000, let checksum = page.last?.checksum else { return }
            last = checksum
        }
    }
}

extension StoredSchema {
    /// The names of all asset fields, each once.
    package var assetKeys: [Record.FieldKey] {
        var keys: Set<Record.FieldKey> = []
        for fields in recordTypes.values {
            for (key, type) in fields where type.scalar == .asset { keys.insert(key) }
        }
        return Array(keys)
    }
}
