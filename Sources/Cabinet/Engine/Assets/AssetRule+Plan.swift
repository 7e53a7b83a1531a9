extension AssetRule {
    /// Returns the stored assets of the records that a plan saves.
    ///
    /// - Parameter excludesOld: Whether the assets are left out that the same records have before the save.
    static func assets(of plan: BatchPlan, excludingOld excludesOld: Bool) -> Set<StoredAsset> {
        var assets: Set<StoredAsset> = []
        for insertion in plan.insertions where insertion.record.fields.hasAssets {
            assets.formUnion(insertion.record.fields.storedAssets)
        }
        for update in plan.updates where update.record.fields.hasAssets {
            let old = excludesOld ? update.replaced.fields.storedAssets : []
            assets.formUnion(update.record.fields.storedAssets.subtracting(old))
        }
        return assets
    }

    /// Returns the assets of a plan's records that are neither stored nor uploaded.
    ///
    /// If the user may not read all records with assets, each asset must be uploaded: a checksum alone must not give its bytes.
    static func missingAssets(
        of plan: BatchPlan, _ permissions: PermissionRule, _ schema: StoredSchema,
        in transaction: any StorageTransaction
    ) async throws -> Set<StoredAsset> {
        let others = assets(of: plan, excludingOld: true).subtracting(plan.assetAdditions.map(\.asset))
        if others.isEmpty || !permissions.canReadAllAssets(in: schema) { return others }
        let found = try await transaction.assets(for: others.map(\.checksum)).compactMap(\.self)
        return others.subtracting(found)
    }
}
