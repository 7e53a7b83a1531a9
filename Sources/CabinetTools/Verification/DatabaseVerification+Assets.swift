import Cabinet

/// Checks assets: that the store has exactly those of the records. Their bytes are checked later.
extension DatabaseVerification {
    /// Finds the assets of some records in the store.
    func checkAssets(of records: [StoredRecord]) async throws {
        var holders: [StoredAsset: AssetHolder] = [:]
        for record in records {
            for (key, asset) in record.fields.assets {
                guard let stored = asset.stored, holders[stored] == nil else { continue }
                holders[stored] = AssetHolder(recordID: record.recordID, fieldKey: key)
            }
        }
        if holders.isEmpty { return }
        let assets = Array(holders.keys)
        guard let found = try await attempt("Assets", await storedAssets(for: assets.map(\.checksum))) else {
            return
        }
        let isMirror = found.contains(nil) ? try await isMirror() : false
        for (asset, stored) in zip(assets, found) where stored != asset && !(stored == nil && isMirror) {
            let problem =
                stored.map { "it has \($0.size) bytes in the store, and \(asset.size) in the record" }
                ?? "the store does not have it"
            collector.add(
                IntegrityIssue(
                    .assetMissing,
                    "An asset of the record is damaged: \(problem). Save the asset again.",
                    recordID: holders[asset]?.recordID,
                    fieldKey: holders[asset]?.fieldKey, checksum: asset.checksum))
        }
    }

    private func storedAssets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await snapshot.abilities.assets?.assets(for: checksums) ?? checksums.map { _ in nil }
    }

    /// Finds assets that no record has.
    func checkAssets() async throws {
        guard let assets = snapshot.abilities.assets else { return }
        var last: Asset.Checksum?
        while let page = try await attempt(
            "The list of assets", await assets.assets(after: last, limit: Self.pageSize))
        {
            for asset in page {
                if let last, asset.checksum <= last {
                    collector.add(
                        IntegrityIssue(
                            .storage, "The list of assets is not in order.", checksum: asset.checksum,
                            isRepairable: true))
                    return
                }
                last = asset.checksum
            }
            counts.assets += page.count
            try await checkUse(of: page.map(\.checksum), in: assets)
            try pause()
            if page.count < Self.pageSize { return }
        }
    }

    private func checkUse(of checksums: [Asset.Checksum], in assets: any StoredAssets) async throws {
        if checksums.isEmpty { return }
        guard let used = try await attempt("The records with assets", await assets.assetsInUse(among: checksums)) else {
            return
        }
        var unused = Set(checksums).subtracting(used)
        if unused.isEmpty { return }
        // The next cleanup removes these.
        if let released = try? await snapshot.releasedAssets() { unused = unused.filter { !released.contains($0) } }
        // A record that cannot be read may have them. It has a finding of its own.
        guard let holders = try? await snapshot.holders(of: unused) else { return }
        for checksum in unused.sorted() {
            if let holder = holders[checksum] {
                collector.add(
                    IntegrityIssue(
                        .assetUse,
                        "The store does not know that the record has the asset, and might remove its bytes.",
                        recordID: holder.recordID, fieldKey: holder.fieldKey, checksum: checksum, isRepairable: true))
            } else {
                collector.add(
                    IntegrityIssue(.assetUnused, "No record has the asset.", checksum: checksum, isRepairable: true))
            }
        }
    }
}
