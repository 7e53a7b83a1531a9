/// The part of a declared field that the schema and the coders need.
struct FieldDefinition: Sendable {
    let key: Record.FieldKey
    /// The type of the values in the program.
    let type: FieldType
    /// Whether the values are encrypted before they leave the program.
    var isEncrypted = false
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

    /// The type of the field in the schema; `nil` if values of the type cannot be encrypted, and the field's are.
    var schemaType: FieldType? { isEncrypted ? type.encrypted : type }

    /// Returns a value as a record holds it.
    func stored(_ value: FieldValue) -> FieldValue {
        isEncrypted ? EncryptedValue(value).map(FieldValue.encrypted) ?? value : value
    }

    /// Returns the value in a record; `nil` if it has none that was decrypted.
    func value(in record: Record) -> FieldValue? {
        let value = record.fieldValue(forKey: key)
        return isEncrypted ? value?.encryptedValue?.value : value
    }

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
