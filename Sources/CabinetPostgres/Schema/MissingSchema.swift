import Cabinet

/// Tables, columns and indexes that a transaction needs and that are not there.
///
/// They are made beforehand, in a transaction of their own, which holds the locks that this takes for a moment only; the
/// transaction that needs them is undone and run again. So nobody waits for a transaction that has changed a table and is under
/// way, and readers do not wait at all.
struct MissingSchema: Error, Sendable {
    /// The record type.
    var recordType: Record.RecordType
    /// The fields that it must be able to hold.
    var fields: [StoredField] = []
    /// The indexes that its table must have, and the fields that the database has in it.
    var indexes: (asked: Set<StoredIndex>, fields: [Record.FieldKey: FieldType])?
}
