import Cabinet

/// What a read of a ``PostgresBackend`` sees: one state of a database.
///
/// Its closure runs on the connection's thread.
struct PostgresSnapshot: SessionReading {
    let session: Session
}
