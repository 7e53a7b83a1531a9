import Cabinet

/// The transaction in a write of a ``PostgresBackend``.
///
/// The write's closure runs on the connection's thread.
struct PostgresTransaction: StorageTransaction, SessionReading {
    let session: Session

    func apply(_ mutations: [StorageMutation]) async throws {
        try await session.use(isChange: true) { context in
            try await context.prepareChanges()
            try context.apply(mutations)
        }
    }
}
