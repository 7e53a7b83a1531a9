/// Removes stored assets that no record has any more.
package enum AssetRule {
    /// Returns the error of a record with an asset whose bytes were not uploaded.
    static func violation(saving record: Record) -> CabinetError? {
        guard record.fields.hasAssets, let found = record.fields.assets.first(where: { $0.asset.stored == nil }) else {
            return nil
        }
        return CabinetError(
            .invalidArguments, "The asset was not uploaded. Save the record with a Database, which uploads it.",
            recordID: record.recordID, fieldKey: found.key)
    }

    /// Removes the given assets that no record has.
    package static func removeUnused(
        _ candidates: Set<Asset.Checksum>, in transaction: any StorageTransaction
    ) async throws {
        let mutations = try await removal(ofUnused: candidates, in: transaction)
        if !mutations.isEmpty { try await transaction.apply(mutations) }
    }

    /// Removes all assets that no record has.
    package static func removeAllUnused(in transaction: any StorageTransaction) async throws {
        let mutations = try await removalOfAllUnused(in: transaction)
        if !mutations.isEmpty { try await transaction.apply(mutations) }
    }

    /// Returns the mutations that remove the given assets that no record has.
    static func removal(
        ofUnused candidates: Set<Asset.Checksum>, in snapshot: any StorageSnapshot
    ) async throws -> [StorageMutation] {
        if candidates.isEmpty { return [] }
        let used = try await snapshot.assetsInUse(among: Array(candidates))
        let unused = Array(candidates.subtracting(used))
        return try await snapshot.assets(for: unused).compactMap { $0.map { .removeAsset($0.checksum) } }
    }

    /// Returns the mutations that remove all assets that no record has.
    static func removalOfAllUnused(in snapshot: any StorageSnapshot) async throws -> [StorageMutation] {
        var mutations: [StorageMutation] = []
        var last: Asset.Checksum?
        while true {
            let page = try await snapshot.assets(after: last, limit: 1000)
            mutations += try await removal(ofUnused: Set(page.map(\.checksum)), in: snapshot)
            guard page.count == 1000, let checksum = page.last?.checksum else { return mutations }
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
