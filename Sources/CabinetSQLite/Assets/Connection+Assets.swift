import Cabinet
import Foundation

/// The table of a database's assets. Their bytes are files in its ``AssetFolder``.
extension Connection {
    /// Returns stored assets in the order of their checksums.
    func assets(after checksum: Asset.Checksum?, limit: Int) throws -> [StoredAsset] {
        guard !catalog.isEmptyFile else { return [] }
        let statement = try statements.statement(
            "SELECT checksum, size FROM cabinet_asset WHERE checksum > ? ORDER BY checksum LIMIT ?")
        defer { statement.reset() }
        try statement.bind(checksum?.description ?? "", at: 1)
        try statement.bind(Int64(limit), at: 2)
        var assets: [StoredAsset] = []
        while try statement.step() {
            guard let found = statement.string(0).flatMap({ Asset.Checksum(hexadecimal: $0) }), statement.int64(1) >= 0
            else {
                throw SQLiteFailure.damaged(path: path, "cabinet_asset has a row without a checksum or a size")
            }
            assets.append(StoredAsset(checksum: found, size: statement.int64(1)))
        }
        return assets
    }

    /// Returns a stored asset.
    func asset(_ checksum: Asset.Checksum) throws -> StoredAsset? {
        guard !catalog.isEmptyFile else { return nil }
        let statement = try statements.statement("SELECT size FROM cabinet_asset WHERE checksum = ?")
        defer { statement.reset() }
        try statement.bind(checksum.description, at: 1)
        guard try statement.step() else { return nil }
        guard statement.int64(0) >= 0 else {
            throw SQLiteFailure.damaged(path: path, "cabinet_asset has the asset \(checksum) without a size")
        }
        return StoredAsset(checksum: checksum, size: statement.int64(0))
    }

    /// Reads a range of a stored asset's bytes.
    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) throws -> Data? {
        guard try asset(checksum) != nil else { return nil }
        return try assets?.bytes(of: checksum, in: range)
    }

    /// Adds an asset with the bytes of an upload.
    func add(_ asset: StoredAsset, uploadedAs id: UUID) throws {
        guard let assets else {
            throw CabinetError(.internalError, "The connection to \(path) was opened without a folder for assets.")
        }
        let known = try self.asset(asset.checksum)
        guard known.map({ $0.size == asset.size }) ?? true else {
            throw SQLiteFailure.damaged(
                path: path, "cabinet_asset has the asset \(asset.checksum) with another size than \(asset.size)")
        }
        // A stored asset already has its file. If the file was deleted by hand, the upload restores it.
        if known == nil || !assets.has(asset) {
            writeState.changedFolders.insert(try assets.keep(asset, uploadedAs: id))
        }
        guard known == nil else { return }
        let insertion = try statements.statement("INSERT INTO cabinet_asset (checksum, size) VALUES (?, ?)")
        try insertion.bind(asset.checksum.description, at: 1)
        try insertion.bind(asset.size, at: 2)
        try insertion.run()
        let deletion = try statements.statement("DELETE FROM cabinet_abandoned_asset WHERE checksum = ?")
        try deletion.bind(asset.checksum.description, at: 1)
        try deletion.run()
    }

    /// Removes an asset, and records that its file is to be removed.
    func removeAsset(_ checksum: Asset.Checksum) throws {
        for sql in [
            "DELETE FROM cabinet_asset WHERE checksum = ?",
            "INSERT OR REPLACE INTO cabinet_abandoned_asset (checksum) VALUES (?)",
        ] {
            let statement = try statements.statement(sql)
            try statement.bind(checksum.description, at: 1)
            try statement.run()
        }
        writeState.hasDeletedAssets = true
    }

    /// Makes new asset files durable, once before the commit.
    func synchronizeAssets() throws {
        try assets?.store.synchronize(writeState.changedFolders)
        writeState.changedFolders = []
    }
}

// MARK: - Garbage collection

extension Connection {
    /// The number of the last deleted asset that may still have a file; `nil` if there is none.
    func lastAssetTombstone() throws -> Int64? {
        guard !catalog.isEmptyFile else { return nil }
        return try number("SELECT id FROM cabinet_abandoned_asset ORDER BY id DESC LIMIT 1")
    }

    /// Removes the files of deleted assets.
    ///
    /// - Parameters:
    ///   - first: The number after which the deleted assets to process begin.
    ///   - last: The number of the last deleted asset to process.
    ///   - limit: The largest number of assets to process.
    /// - Returns: The number of removed files, and the number of the last processed asset; `nil` if there was no deleted
    ///   asset.
    func sweep(after first: Int64, upTo last: Int64, limit: Int) throws -> (count: Int, end: Int64)? {
        guard !catalog.isEmptyFile else { return nil }
        let search = try statements.statement(
            "SELECT id, checksum FROM cabinet_abandoned_asset WHERE id > ? AND id <= ? ORDER BY id LIMIT ?")
        try search.bind(first, at: 1)
        try search.bind(last, at: 2)
        try search.bind(Int64(limit), at: 3)
        var found: [(id: Int64, checksum: Asset.Checksum?)] = []
        do {
            defer { search.reset() }
            while try search.step() {
                found.append((search.int64(0), search.string(1).flatMap { Asset.Checksum(hexadecimal: $0) }))
            }
        }
        guard let end = found.last?.id else { return nil }
        let deletion = try statements.statement("DELETE FROM cabinet_abandoned_asset WHERE id = ?")
        var count = 0
        for (id, checksum) in found {
            // A row without a checksum, which only another program can have written, has no file.
            if let checksum, try asset(checksum) == nil, assets?.remove(checksum) == true { count += 1 }
            try deletion.bind(id, at: 1)
            try deletion.run()
        }
        return (count, end)
    }

    /// Removes orphaned files.
    ///
    /// - Returns: The number of removed files.
    func removeUnknownAssets(among checksums: [Asset.Checksum]) throws -> Int {
        try unknownAssets(among: checksums).count(where: { assets?.remove($0) == true })
    }

    /// Returns the checksums that belong neither to a stored asset nor to a deleted one that still waits for its
    /// removal.
    func unknownAssets(among checksums: [Asset.Checksum]) throws -> [Asset.Checksum] {
        guard !catalog.isEmptyFile else { return checksums }
        let search = try statements.statement(
            """
            SELECT 1 FROM cabinet_asset WHERE checksum = ?1 UNION ALL \
            SELECT 1 FROM cabinet_abandoned_asset WHERE checksum = ?1
            """)
        return try checksums.filter { checksum in
            defer { search.reset() }
            try search.bind(checksum.description, at: 1)
            return try !search.step()
        }
    }
}
