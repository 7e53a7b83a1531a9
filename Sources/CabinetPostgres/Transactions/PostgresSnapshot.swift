import Cabinet

/// The snapshot of a database in a read of a ``PostgresBackend``.
///
/// The read's closure runs on the connection's thread.
struct PostgresSnapshot: SessionReading {
    let session: Session
}
