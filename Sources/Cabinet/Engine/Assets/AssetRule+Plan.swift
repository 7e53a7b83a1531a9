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

    /// Returns the assets of a plan's records that are neither stored nor uploaded.
    ///
    /// If the user may not read all records with assets, each asset must be uploaded: a checksum alone must not give its bytes.
    static func missingAssets(
        of plan: BatchPlan, _ permissions: PermissionRule, _ schema: StoredSchema,
        in transaction: any StorageTransaction
    ) async throws -> Set<StoredAsset> {
        let others = needed(by: plan).subtracting(plan.assetAdditions.map(\.asset))
        if others.isEmpty || !permissions.canReadAllAssets(in: schema) { return others }
        let found = try await transaction.assets(for: others.map(\.checksum)).compactMap(\.self)
        return others.subtracting(found)
    }
}
