/// The error that runs a transaction again because it has read stale data.
///
/// - The snapshot of a read includes a write that began after the read.
/// - The statements of a first load were built for a schema that the database no longer has.
/// - Another process has added the database at the same time.
struct StaleSnapshot: Error {}
