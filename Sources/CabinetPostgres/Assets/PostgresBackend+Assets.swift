public import Cabinet
public import Foundation

extension PostgresBackend: AssetStorage {
    /// The number of seconds without new bytes after which an upload counts as abandoned.
    private static let idleLimit: Double = 24 * 60 * 60

    /// Creates an upload that stores the bytes of an asset, as rows of at most a megabyte.
    ///
    /// Once a day, it also removes the abandoned uploads to the database in the background.
    ///
    /// - Parameter database: The database that the asset will belong to.
    /// - Throws: A server error, as ``write(_:_:)`` does.
    public func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        let upload = PostgresUpload(to: database, in: self)
        try await upload.begin()
        if uploadCleanups.begin(database) {
            // If this fails, the next cleaning removes them.
            Task.detached(priority: .utility) { _ = try? await self.removeAbandonedAssets(from: database) }
        }
        return upload
    }

    /// Returns `nil`: the server has no files, and the core reads the bytes.
    public func files(of assets: [StoredAsset], in database: DatabaseKey) -> [URL?]? { nil }

    /// Removes the bytes of uploads whose process died: the uploads that received no bytes for a day.
    ///
    /// The backend also does this in the background when the first asset of a day is saved into a database.
    ///
    /// - Parameter database: The database that is searched for uploads.
    /// - Returns: The number of rows of bytes that were removed.
    /// - Throws: A server error, as ``write(_:_:)`` does.
    @discardableResult
    public func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int {
        try await removeUploads(from: database, idleForSeconds: Self.idleLimit)
    }

    func removeUploads(from database: DatabaseKey, idleForSeconds seconds: Double) async throws -> Int {
        let abandoned = try await inspect(database) { snapshot in
            try await snapshot.session.use { try await $0.idleUploads(forSeconds: seconds) }
        }
        var count = 0
        // Others write between these transactions.
        for upload in abandoned { count += try await writeAssets(database) { try await $0.endUploads([upload]) } }
        return count
    }

    /// Changes the rows of uploads, which are not part of the database's content.
    func writeAssets<Output: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (TransactionContext) async throws -> Output
    ) async throws -> Output {
        try await change(database) { transaction in
            try await transaction.session.use(isChange: true) { context in
                try await context.ensureSnapshot()
                return try await body(context)
            }
        }
    }
}
