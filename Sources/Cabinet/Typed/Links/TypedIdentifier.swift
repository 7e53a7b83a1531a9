/// An ID of a record whose type is declared: ``TypedID``.
public protocol TypedIdentifier: RecordValue {
    /// The declaration of the record's type.
    associatedtype Target: RecordFields
}

extension TypedID: TypedIdentifier where Target: RecordFields {}
