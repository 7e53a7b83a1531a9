/// What a schema asks a store to keep in order, so that some queries need not look at every record.
///
/// An index changes no answer. ``searchable(_:)`` alone says something more: a search for words looks into the marked
/// fields, or, if a record type has none, into all its text fields.
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
