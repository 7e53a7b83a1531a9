/// The core's use of abilities, which a backend may lack.
extension StorageBackend {
    /// Begins to take in the bytes of an asset, or refuses, so that no bytes are lost.
    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        guard let assets = abilities.assets else {
            throw CabinetError(
                .serverRejectedRequest,
                "This backend keeps no assets. Save the record without them, or use a backend that does.")
        }
        return try await assets.beginUpload(to: database)
    }

    /// Signals when a database may have changed; a backend without signals is polled.
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        abilities.signals?.changeSignals(of: database) ?? polledSignals(of: database, every: .milliseconds(250))
    }
}
