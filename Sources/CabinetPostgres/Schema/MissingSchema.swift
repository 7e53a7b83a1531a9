import Cabinet

/// Missing tables, columns and indexes that a transaction needs.
///
/// They are created in a short transaction of their own, which holds the necessary locks only briefly. Then the transaction
/// that needs them is rolled back and run again. So other writers never wait for a long transaction that has changed a table,
/// and readers do not wait at all.
struct MissingSchema: Error, Sendable {
    /// The record type.
    var recordType: Record.RecordType
    /// The fields that its table must have columns for.
    var fields: [StoredField] = []
    /// The indexes that its table must have, and the fields that the database has in it.
    var indexes: (asked: Set<StoredIndex>, fields: [Record.FieldKey: FieldType])?
}
