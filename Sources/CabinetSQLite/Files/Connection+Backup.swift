import CSQLite
import Cabinet
import Foundation

extension Connection {
    /// The number of pages that are copied between two checks for cancellation.
    private static let pageCount: Int32 = 4096

    /// The number of assets that are read at a time.
    private static let assetCount = 1000

    /// Copies the database as the active transaction sees it, and the files of its assets, which stay as long as the transaction.
    ///
    /// - Parameters:
    ///   - path: The path of the new file.
    ///   - folder: The path of the new folder of assets.
    func backUp(to path: String, assets folder: String, _ access: FileAccess) throws {
        try StoreFile.create(path, access)
        let target = try DatabaseHandle(path: path, creates: false)
        guard let backup = sqlite3_backup_init(target.pointer, "main", handle.pointer, "main") else {
            throw target.failure(sqlite3_errcode(target.pointer)).error
        }
        var code = SQLITE_OK
        while code == SQLITE_OK, !Task.isCancelled { code = sqlite3_backup_step(backup, Self.pageCount) }
        sqlite3_backup_finish(backup)
        if Task.isCancelled { throw WorkMeter.cancellation }
        guard code == SQLITE_DONE else { throw target.failure(code).error }
        try copyAssets(to: folder, access)
    }

    private func copyAssets(to folder: String, _ access: FileAccess) throws {
        var last: Asset.Checksum?
        while true {
            let stored = try self.assets(after: last, limit: Self.assetCount)
            guard let end = stored.last else { break }
            try AssetFile.makeFolder(folder, access)
            for asset in stored { try copy(asset, to: folder, access) }
            last = end.checksum
        }
        guard last != nil else { return }
        for subfolder in AssetFile.names(in: folder) { try AssetFile.synchronize(folder: folder + "/" + subfolder) }
        try AssetFile.synchronize(folder: folder)
    }

    private func copy(_ asset: StoredAsset, to folder: String, _ access: FileAccess) throws {
        if Task.isCancelled { throw WorkMeter.cancellation }
        guard let assets, assets.has(asset) else {
            throw CabinetError(
                .assetNotAvailable,
                "The store has lost the bytes of the asset \(asset.checksum). Verify the store, and save the record's asset again."
            )
        }
        try AssetFile.makeFolder(folder + "/" + AssetStore.subfolder(of: asset.checksum), access)
        try AssetFile.copy(assets.file(asset.checksum), to: AssetStore.file(asset.checksum, in: folder), access)
    }
}
