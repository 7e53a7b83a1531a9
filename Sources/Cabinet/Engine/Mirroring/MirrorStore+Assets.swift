package import Foundation

/// The bytes of assets that the local store has: those that were saved here, and those of the server that a program has read.
extension MirrorStore {
    /// Lists the assets whose bytes the store has, in the order of their checksums.
    package func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await handler.read(database) { try await $0.assets(after: checksum, limit: limit) }
    }

    /// Begins to write the bytes of an asset of the server; `nil` if the store has them or has no record with the asset.
    package func beginCopy(of asset: StoredAsset) async throws -> (any AssetUpload)? {
        let isWanted = try await handler.read(database) { try await $0.lacks(asset) }
        return isWanted ? try await handler.backend.abilities.assets?.beginUpload(to: database) : nil
    }

    /// Adds the bytes that were written.
    ///
    /// - Returns: `false` if no record has the asset any more, or its bytes were added in between.
    package func keep(_ asset: StoredAsset, uploadedAs id: UUID) async throws -> Bool {
        try await handler.write(database) { transaction, meter in
            guard try await transaction.lacks(asset) else { return false }
            try await transaction.apply([.addAsset(asset, uploadedAs: id)], meter)
            return true
        }
    }

    /// Returns the assets that the server may lack, because they belong to pending changes.
    ///
    /// - Returns: The checksums, and the last number of the store, after which an edit may need more.
    package func pendingAssets() async throws -> (checksums: Set<Asset.Checksum>, number: Int64) {
        try await handler.read(database) { snapshot in
            var (found, range) = (Set<Asset.Checksum>(), PendingChange.allKeys)
            while true {
                let page = try await snapshot.entries(in: range, limit: 200)
                let ids = try page.map { try PendingChange($0).recordID }
                for record in try await snapshot.load(StorageKeys(records: ids)).records {
                    found.formUnion(record?.fields.storedAssets.map(\.checksum) ?? [])
                }
                guard let last = page.last, page.count == 200 else { break }
                range = last.key.next..<range.upperBound
            }
            return (found, try await snapshot.lastNumber())
        }
    }

    /// Removes the bytes of assets that the server has.
    ///
    /// - Parameters:
    ///   - assets: The assets, none of which belongs to a pending change.
    ///   - number: The last number of the store when that was read.
    /// - Returns: `false` if the store has changed since, and nothing was removed.
    package func evict(_ assets: [StoredAsset], at number: Int64) async throws -> Bool {
        try await handler.write(database) { transaction, meter in
            guard try await transaction.lastNumber() == number else { return false }
            try await transaction.apply(assets.map { .removeAsset($0.checksum) }, meter)
            return true
        }
    }
}

extension StorageSnapshot {
    /// Whether a record has an asset whose bytes are not stored.
    fileprivate func lacks(_ asset: StoredAsset) async throws -> Bool {
        guard try await assets(for: [asset.checksum]).contains(nil) else { return false }
        return try await !assetsInUse(among: [asset.checksum]).isEmpty
    }

    fileprivate func lastNumber() async throws -> Int64 {
        let entry = try await load(StorageKeys(entries: [DatabaseState.key])).entries.first ?? nil
        return try DatabaseState(entry: entry).lastSequenceNumber
    }
}
