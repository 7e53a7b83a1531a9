/// A field of a record type whose values are encrypted before a record leaves the program: those of ``Record/encryptedValues``.
///
/// ```swift
/// struct Entries: RecordFields {
///     let date = Field<Date?>("date", index: .sortable)
///     let text = EncryptedField<String>("text")
/// }
/// ```
///
/// It is declared, read and set like a ``Field``, in a container with a key store. The store has no key, so a filter, an order or an index
/// of it does not compile. <doc:EncryptingValues> has the details.
public struct EncryptedField<Value: RecordValueOrOptional>: Sendable {
    /// The name of the field in the database.
    public let key: Record.FieldKey

    /// The value of a record without one.
    private let replacement: Value
    private let hasDefault: Bool

    /// Declares a field with a default.
    ///
    /// - Parameters:
    ///   - key: The name of the field in the database.
    ///   - value: The value of new records, and of records without a value.
    public init(_ key: Record.FieldKey, default value: Value) {
        self.key = key
        replacement = value
        hasDefault = true
    }

    /// Declares an optional field, or a required one of a type with an empty value.
    ///
    /// A new record must get a value in a required field. Saving it otherwise throws
    /// ``CabinetError/Code/invalidArguments``.
    ///
    /// - Parameter key: The name of the field in the database.
    public init(_ key: Record.FieldKey) where Value: EmptyFieldContent {
        self.key = key
        replacement = Value.emptyContent
        hasDefault = false
    }

    /// Refuses a required field of a type without an empty value.
    @available(*, unavailable, message: "Make the type optional, as in 'EncryptedField<Date?>', or give a default.")
    public init?(_ key: Record.FieldKey) { nil }

    /// Returns the value in a record, or the default if the record has none that can be decrypted.
    ///
    /// ``EncryptedValues/error(forKey:)`` says why a value cannot.
    public func value(in record: Record) -> Value {
        Value.content(of: record.fieldValue(forKey: key)?.encryptedValue?.value) ?? replacement
    }

    /// Sets the value in a record.
    public func set(_ value: Value, in record: inout Record) {
        record.setEncryptedValue(Value.recordValue(of: value), forKey: key)
    }
}

extension EncryptedField: DefinedField {
    var definition: FieldDefinition {
        FieldDefinition(
            key: key, type: Value.Compared.fieldType, isEncrypted: true,
            initialValue: hasDefault ? Value.recordValue(of: replacement) : nil,
            isRequired: !hasDefault && Value.isRequiredContent, contentType: Value.self)
    }
}
