/// A field of a record type, with the type of its values.
///
/// ```swift
/// let name = Field<String>("name", index: .sortable)
/// let number = Field<Int>("number", default: 1)
/// let kind = Field<Kind?>("kind")              // enum Kind: String, RecordValue
/// let sizes = Field<[Double]>("sizes")
/// let photo = Field<Asset?>("photo")
/// ```
///
/// The value is a ``RecordValue`` or an optional one. If a record has no value, an optional field reads as `nil`, a field
/// with a default as its default, and another field as the type's empty value. The same holds for a value of another type,
/// which a newer version of the program may have stored. A default is also stored in each new record, so that filters find it.
///
/// In a filter, the field stands for its value: `$0.number > 1`.
public struct Field<Value: RecordValueOrOptional>: SettableField {
    /// The type of the values that filters compare the field with.
    public typealias Compared = Value.Compared

    /// The name of the field in the database, or a key path through links.
    public var key: Record.FieldKey { fieldName.text }

    @usableFromInline let fieldName: FieldName
    /// The value of a record without one.
    @usableFromInline let replacement: Value
    private let options: Schema.Field.Options
    private let hasDefault: Bool

    /// Declares a field with a default.
    ///
    /// - Parameters:
    ///   - key: The name of the field in the database.
    ///   - value: The value of new records, and of records without a value.
    ///   - options: The indexes of the field.
    public init(_ key: Record.FieldKey, default value: Value, index options: Schema.Field.Options = []) {
        self.init(key: key, replacement: value, options: options, hasDefault: true)
    }

    /// Declares an optional field, or a required one of a type with an empty value.
    ///
    /// A new record must get a value in a required field. Saving it otherwise throws
    /// ``CabinetError/Code/invalidArguments``.
    ///
    /// - Parameters:
    ///   - key: The name of the field in the database.
    ///   - options: The indexes of the field.
    public init(_ key: Record.FieldKey, index options: Schema.Field.Options = []) where Value: EmptyFieldContent {
        self.init(key: key, replacement: Value.emptyContent, options: options, hasDefault: false)
    }

    /// Refuses a required field of a type without an empty value.
    @available(*, unavailable, message: "Make the type optional, as in 'Field<Date?>', or give a default.")
    public init?(_ key: Record.FieldKey, index options: Schema.Field.Options = []) { nil }

    /// Returns the value in a record, or the default if the record has none.
    @inlinable
    public func value(in record: Record) -> Value {
        Value.content(of: record.fieldValue(named: fieldName)) ?? replacement
    }

    /// Sets the value in a record.
    @inlinable
    public func set(_ value: Value, in record: inout Record) {
        let value = Value.recordValue(of: value)
        if let stored = value?.fieldValue {
            record.setFieldValue(stored, forKey: fieldName.text)
        } else {
            // Removes the value, or remembers one that no field can hold.
            record[fieldName.text] = value
        }
    }

    /// Returns the same field of the records that a link points to.
    public func following(_ link: Record.FieldKey) -> Field<Value> {
        following(link, as: key)
    }

    /// Returns the same field with another name, at the end of a path.
    func following(_ path: Record.FieldKey, as name: Record.FieldKey) -> Field<Value> {
        Field(key: "\(path).\(name)", replacement: replacement, options: options, hasDefault: hasDefault)
    }

    private init(key: Record.FieldKey, replacement: Value, options: Schema.Field.Options, hasDefault: Bool) {
        fieldName = FieldName(key)
        self.replacement = replacement
        self.options = options
        self.hasDefault = hasDefault
    }
}

extension Field: DefinedField {
    var definition: FieldDefinition {
        FieldDefinition(
            key: key, type: Value.Compared.fieldType, options: options,
            initialValue: hasDefault ? Value.recordValue(of: replacement) : nil,
            isRequired: !hasDefault && Value.isRequiredContent, contentType: Value.self)
    }
}

/// The name of a declared field, prepared for reading the field of many records.
@usableFromInline
struct FieldName: Sendable {
    @usableFromInline let text: Record.FieldKey
    /// `nil` if the name is too long.
    @usableFromInline let shortName: ShortName?

    init(_ text: Record.FieldKey) {
        self.text = text
        shortName = ShortName(text)
    }
}

extension Record {
    /// The value of a declared field.
    // In the caller, a short name is passed without its text, and so without counting references to the text.
    @inlinable
    func fieldValue(named name: FieldName) -> FieldValue? {
        if let shortName = name.shortName { fieldValue(named: shortName) } else { fieldValue(forKey: name.text) }
    }
}

/// A property of a declaration that names a value of every record: a field, a link, a list of links, or a system value.
///
/// Do not conform to this protocol. Declare ``Field``, ``Link`` and ``Links`` in a ``RecordFields`` structure.
public protocol FieldDeclaration<Value>: TypedOperand where Compared == Value.Compared {
    /// The type of the value in Swift.
    associatedtype Value: RecordValueOrOptional

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
