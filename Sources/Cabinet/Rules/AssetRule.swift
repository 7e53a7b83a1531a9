/// Which assets a store keeps: those that a record has, and no others.
enum AssetRule {
    /// The stored assets that records will have and had not, as a plan changes them.
    static func needed(by records: [StoredRecord], replacing stored: BatchValues<StoredRecord>) -> Set<StoredAsset> {
        var needed: Set<StoredAsset> = []
        for record in records where record.fields.hasAssets {
            let known = stored[record.recordID]?.fields.storedAssets ?? []
            needed.formUnion(record.fields.storedAssets.subtracting(known))
        }
        return needed
    }

    /// The assets that records have now and maybe none will have, once a plan is carried out.
    static func candidates(
        _ plan: BatchPlan, replacing stored: BatchValues<StoredRecord>, schema: StoredSchema,
        in transaction: any StorageTransaction
    ) async throws -> Set<Asset.Checksum> {
        let keys = schema.assetKeys
        if keys.isEmpty { return [] }
        var candidates: Set<Asset.Checksum> = []
        for update in plan.updates {
            guard let old = stored[update.recordID]?.fields, old.hasAssets else { continue }
            let kept = update.fields.storedAssets
            for asset in old.storedAssets where !kept.contains(asset) { candidates.insert(asset.checksum) }
        }
        if plan.deletions.isEmpty { return candidates }
        for case let record? in try await transaction.records(for: plan.deletions, keys: keys) {
            candidates.formUnion(record.fields.storedAssets.map(\.checksum))
        }
        return candidates
    }

    /// Removes those of some assets that no record has.
    static func removeUnused(_ candidates: Set<Asset.Checksum>, in transaction: any StorageTransaction) async throws {
        if candidates.isEmpty { return }
        let used = try await transaction.assetsInUse(among: Array(candidates))
        let unused = Array(candidates.subtracting(used))
        let stored = try await transaction.assets(for: unused).compactMap { $0?.checksum }
        if !stored.isEmpty { try await transaction.removeAssets(stored) }
    }

    /// Removes all assets that no record has.
    static func removeAllUnused(in transaction: any StorageTransaction) async throws {
        var last: Asset.Checksum?
        while true {
            let page = try await transaction.assets(after: last, limit: 1000)
            try await removeUnused(Set(page.map(\.checksum)), in: transaction)
            guard page.count == 1000, let checksum = page.last?.checksum else { return }
            last = checksum
        }
    }
}

/// A transaction needs bytes that neither the store nor an upload has.
struct MissingAssets: Error {
    let assets: Set<StoredAsset>
}

extension StoredSchema {
    /// The names of all fields that hold assets, each once.
    var assetKeys: [Record.FieldKey] {
        var keys: Set<Record.FieldKey> = []
        for fields in recordTypes.values {
            for (key, type) in fields where type.scalar == .asset { keys.insert(key) }
        }
        return Array(keys)
    }
}
