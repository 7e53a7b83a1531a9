/// The part of a declared field that the schema and the coders need.
struct FieldDefinition: Sendable {
    let key: Record.FieldKey
    let type: FieldType
    var options: Schema.Field.Options = []
    /// The value of new records, if the declaration has a default.
    var initialValue: (any RecordValue)?
    /// Whether a new record must have a value.
    var isRequired = false
    /// The delete rule of references.
    var action: Reference.Action?
    /// The Swift type of the value, for messages.
    let contentType: any RecordValueOrOptional.Type

    /// Whether the field's type can hold a stored value.
    func accepts(_ value: FieldValue) -> Bool { contentType.accepts(value) }

    /// The type whose JSON the field holds; `nil` if it holds none.
    var jsonType: (any JSONRecordValue.Type)? { contentType.jsonType }
}

extension RecordValueOrOptional {
    fileprivate static func accepts(_ value: FieldValue) -> Bool { content(of: value) != nil }

    fileprivate static var jsonType: (any JSONRecordValue.Type)? { Compared.self as? any JSONRecordValue.Type }
}

/// A declared property with its definition.
protocol DefinedField: Sendable {
    var definition: FieldDefinition { get }
}

/// A field that a program can set.
public protocol SettableField<Value>: FieldDeclaration {
    /// Sets the value in a record.
    func set(_ value: Value, in record: inout Record)
}
