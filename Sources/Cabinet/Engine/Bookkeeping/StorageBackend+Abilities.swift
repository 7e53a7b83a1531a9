/// Access to abilities, which a backend can lack.
extension StorageBackend {
    /// Begins the upload of an asset's bytes, or throws if the backend stores no assets.
    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        guard let assets = abilities.assets else {
            throw CabinetError(
                .serverRejectedRequest,
                "This backend keeps no assets. Save the record without them, or use a backend that does.")
        }
        return try await assets.beginUpload(to: database)
    }

    /// Returns signals when a database may have changed; a backend without signals is polled.
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        abilities.signals?.changeSignals(of: database) ?? polledSignals(of: database, every: .milliseconds(250))
    }
}
