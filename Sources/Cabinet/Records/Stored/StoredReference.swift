/// A reference with a delete rule, found from its target.
public struct StoredReference: Sendable, Hashable {
    /// The record that is referred to.
    public let target: RecordID

    /// The record that holds the reference.
    public let source: RecordID

    /// The part of the source that holds the reference.
    public let place: Place

    /// The part of a record that holds a reference.
    public enum Place: Sendable, Hashable {
        /// In a field, or in an element of the field's list, with the reference's action.
        case field(Record.FieldKey, action: Reference.Action)

        /// As the record's parent.
        case parent
    }

    /// Creates a reference found from its target.
    public init(target: RecordID, source: RecordID, place: Place) {
        self.target = target
        self.source = source
        self.place = place
    }
}
