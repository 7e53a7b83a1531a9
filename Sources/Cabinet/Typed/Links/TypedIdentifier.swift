/// An ID of a record whose type is declared: ``TypedID``.
public protocol TypedIdentifier: RecordValue {
    /// The declaration of the record's type.
    associatedtype Target: RecordFields

    /// The untyped ID.
    var recordID: RecordID { get }
}

extension TypedID: TypedIdentifier where Target: RecordFields {}
