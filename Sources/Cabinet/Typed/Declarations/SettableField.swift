/// A field that a program can set.
public protocol SettableField<Value>: FieldDeclaration {
    /// Sets the value in a record.
    func set(_ value: Value, in record: inout Record)
}
