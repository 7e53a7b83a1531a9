public import Cabinet
public import Foundation

extension SQLiteBackend: AssetStorage {
    /// Begins to take in the bytes of an asset, into a file.
    ///
    /// - Parameter database: The database that the asset will belong to.
    /// - Throws: ``/Cabinet/CabinetError/Code/quotaExceeded`` if the disk is full, ``/Cabinet/CabinetError/Code/permissionFailure`` if
    ///   this user may not write there, ``/Cabinet/CabinetError/Code/badContainer`` if the directory cannot be made.
    public func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        let path = directory.appendingPathComponent(try StoreFile.name(of: database)).path
        let upload = try await assets.run(on: assets.executor) { assets in
            try StoreFile.createDirectory(for: path, assets.access)
            return try assets.beginUpload(to: database)
        }
        if assets.isFirstUse(of: database) {
            // What others have left is removed beside what this one does; nobody waits for it.
            Task.detached(priority: .utility) { [sweeper] in _ = try? await sweeper.clean(database) }
        }
        return upload
    }

    /// Gives files with the bytes of stored assets: further names of the store's own files, which cost nothing.
    ///
    /// Ask in the closure of the read that has found the assets: then none of them is removed before.
    ///
    /// - Parameters:
    ///   - assets: The assets, none twice.
    ///   - database: The database that they belong to.
    /// - Returns: For each asset its file, or `nil` if its file is lost; or `nil` where this user may not create files.
    /// - Throws: ``/Cabinet/CabinetError/Code/quotaExceeded`` if files must be copied, because the file system has none with several
    ///   names, and the disk is full; and the disk's failures.
    public func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? {
        let folder = try self.assets.folder(of: database)
        return try await self.assets.run(on: self.assets.executor) { try $0.files(of: assets, in: folder) }
    }

    /// Removes the files that interrupted processes have left in a database's folder of assets, and in those that all share.
    ///
    /// It is done once in the background when the first asset is saved into a database, too.
    ///
    /// - Parameter database: The database whose assets to look at.
    /// - Returns: How many files were removed.
    /// - Throws: What ``write(_:_:)`` throws about the database's file, if there is something to remove.
    @discardableResult
    public func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int {
        try await sweeper.clean(database)
    }
}

extension AssetStore {
    func closeOnExecutor() async {
        try? await run(on: executor) { $0.close() }
    }
}
