/// An index of a schema, which lets some queries read fewer records.
///
/// A field is one of the record type or a ``SystemField``; ``StoredRecord/value(forKey:)`` returns the values of both.
///
/// An index changes no results. The exception is ``searchable(_:)``: a search for words reads the searchable fields or,
/// if a record type has none, all its text fields.
public enum StoredIndex: Sendable, Hashable, Codable {
    /// Records are found by the value of a field.
    case queryable(Record.FieldKey)

    /// Records are sorted by a field.
    case sortable(Record.FieldKey)

    /// Records are found by the words of a text field.
    case searchable(Record.FieldKey)

    /// Records are found by the values of the first fields, and sorted by those that follow.
    case compound([Record.FieldKey])
}
