/// A property of a declaration that names a value of every record: a field, a link, a list of links, or a system value.
///
/// Do not conform to this protocol. Declare ``Field``, ``Link`` and ``Links`` in a ``RecordFields`` structure.
public protocol FieldDeclaration<Value>: TypedOperand where Compared == Value.Compared {
    /// The type of the value in Swift.
    associatedtype Value: FieldContent

    /// The name of the field in the database, or a key path through links such as `list.name`.
    var key: Record.FieldKey { get }

    /// Returns the value in a record, or the default if the record has none.
    func value(in record: Record) -> Value

    /// Returns the same field of the records that a link points to.
    func following(_ link: Record.FieldKey) -> Self
}

extension FieldDeclaration {
    /// The field as an operand of untyped filters.
    public var expression: Filter.Expression { .field(key) }
}
