public import Cabinet
public import Foundation

extension SQLiteBackend: AssetStorage {
    /// Starts the upload of an asset's bytes into a file.
    ///
    /// - Parameter database: The database that the asset will belong to.
    /// - Throws: ``/Cabinet/CabinetError/Code/quotaExceeded`` if the disk is full, ``/Cabinet/CabinetError/Code/permissionFailure`` if
    ///   this user may not write into the directory, ``/Cabinet/CabinetError/Code/badContainer`` if the directory
    ///   cannot be created.
    public func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        let path = directory.appendingPathComponent(try StoreFile.name(of: database)).path
        let upload = try await assets.run(on: assets.executor) { assets in
            try StoreFile.createDirectory(for: path, assets.access)
            return try assets.beginUpload(to: database)
        }
        if assets.isFirstUse(of: database) {
            // Removes the remains of interrupted processes in the background.
            Task.detached(priority: .utility) { [garbageCollector] in _ = try? await garbageCollector.clean(database) }
        }
        return upload
    }

    /// Returns files with the bytes of stored assets, as links to the store's own files.
    ///
    /// Call this in the closure of the read that returned the assets. Until the read ends, their files are not removed.
    ///
    /// - Parameters:
    ///   - assets: The assets, without duplicates.
    ///   - database: The database that the assets belong to.
    /// - Returns: For each asset its file, or `nil` if its file is lost; `nil` instead of the array if this user may
    ///   not create files.
    /// - Throws: ``/Cabinet/CabinetError/Code/quotaExceeded`` if the file system does not support hard links and the
    ///   disk is too full for copies, and the file system's failures.
    public func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? {
        let folder = try self.assets.folder(of: database)
        return try await self.assets.run(on: self.assets.executor) { try $0.files(of: assets, in: folder) }
    }

    /// Removes asset files that interrupted processes have left, in a database's folder and in those that all databases
    /// share.
    ///
    /// The backend also does this in the background when the first asset is saved into a database.
    ///
    /// - Parameter database: The database of the assets.
    /// - Returns: The number of removed files.
    /// - Throws: The errors of ``write(_:_:)`` about the database's file, if there are files to remove.
    @discardableResult
    public func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int {
        try await garbageCollector.clean(database)
    }
}

extension AssetStore {
    func closeOnExecutor() async {
        try? await run(on: executor) { $0.close() }
    }
}
