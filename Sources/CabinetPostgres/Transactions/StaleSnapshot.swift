/// The transaction cannot go on with what it has found, and is run again.
///
/// The snapshot of a read holds a write that began after the read, or the statements of a first load were built for a schema that the
/// database no longer has, or another process has added the database at the same moment.
struct StaleSnapshot: Error {}
