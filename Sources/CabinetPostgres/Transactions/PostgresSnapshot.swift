import Cabinet

/// The snapshot of a database in a read of a ``PostgresBackend``.
struct PostgresSnapshot: SessionReading {
    let session: Session
}
