extension AssetRule {
    /// Returns the stored assets that a plan adds to its records.
    static func needed(by plan: BatchPlan) -> Set<StoredAsset> {
        var needed: Set<StoredAsset> = []
        for insertion in plan.insertions where insertion.record.fields.hasAssets {
            needed.formUnion(insertion.record.fields.storedAssets)
        }
        for update in plan.updates where update.record.fields.hasAssets {
            needed.formUnion(update.record.fields.storedAssets.subtracting(update.replaced.fields.storedAssets))
        }
        return needed
    }

    /// Throws ``MissingAssets`` if a plan's records need assets that are neither stored nor uploaded.
    ///
    /// If the user may not read all records with assets, each asset must be uploaded: a checksum alone must not give its bytes.
    static func check(
        _ plan: BatchPlan, _ permissions: PermissionRule, _ schema: StoredSchema,
        in transaction: any StorageTransaction
    ) async throws {
        let others = needed(by: plan).subtracting(plan.assetAdditions.map(\.asset))
        if others.isEmpty { return }
        if !permissions.canReadAllAssets(in: schema) { throw MissingAssets(assets: others) }
        let found = try await transaction.assets(for: others.map(\.checksum)).compactMap(\.self)
        let missing = others.subtracting(found)
        if !missing.isEmpty { throw MissingAssets(assets: missing) }
    }
}
