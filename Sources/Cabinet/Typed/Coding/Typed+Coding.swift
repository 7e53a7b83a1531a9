extension Typed {
    /// Creates a record from a value of the program's own type.
    ///
    /// ```swift
    /// struct Groceries: Codable {
    ///     var name: String
    ///     var number: Int
    ///     var list: Typed<Lists>.ID?
    /// }
    /// let milk = Groceries(name: "Milk", number: 2, list: list.id)
    /// let item = try Item(encoding: milk)
    /// ```
    ///
    /// Each coding key names a field of the declaration. Values are stored as the field stores them, without JSON in between. A
    /// `RecordID` or typed ID becomes a reference with the delete rule of the link. A nested `Codable`
    /// value fits a field of a ``JSONRecordValue``. The key `recordID` sets the record's ID, and the names of other system
    /// values are ignored.
    ///
    /// - Parameters:
    ///   - value: The value, which encodes itself with keys.
    ///   - id: The record's ID; by default a new one in the default zone.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a key is not that of a field, or a value does not fit its field. The error
    ///   names the type, the field, and what was expected and found. The errors of the value's `encode(to:)`.
    public init<Value: Encodable>(encoding value: Value, id: ID? = nil) throws {
        try self.init(encoding: value, id: id, orElse: ID(), layout: .shared())
    }

    /// Creates a record from a value, with the given ID, the value's own, or a new one.
    init<Value: Encodable>(
        encoding value: Value, id: ID?, orElse newID: @autoclosure () -> ID, layout: RecordLayout<Fields>
    ) throws {
        let encoded = try FieldEncoder(Value.self, layout: layout).encode(value)
        self.init(new: id ?? encoded.recordID.map { TypedID($0) } ?? newID(), layout: layout)
        apply(encoded)
    }

    /// Creates a record from its required values.
    ///
    /// - Parameters:
    ///   - required: The values of the required fields.
    ///   - id: The record's ID; by default a new one in the default zone.
    /// - Throws: The errors of ``init(encoding:id:)``.
    public init(_ required: Fields.Required, id: ID = ID()) throws {
        try self.init(encoding: required, id: id)
    }

    /// Sets the fields that a value of the program's own type encodes, and keeps the others and the change tag.
    ///
    /// - Parameter value: The value. A key that it encodes as `nil` loses its value; a key that it omits keeps it.
    /// - Throws: The errors of ``init(encoding:id:)``. Nothing has changed then.
    public mutating func encode<Value: Encodable>(_ value: Value) throws {
        apply(try FieldEncoder(Value.self, layout: layout).encode(value))
    }

    /// Returns a value of the program's own type with the values of the record.
    ///
    /// ```swift
    /// let groceries = try item.decode(as: Groceries.self)
    /// ```
    ///
    /// A field without a value has its declared default. The type can also have the system values, under the names `recordID`,
    /// `creationDate` and so on.
    ///
    /// - Parameter type: The type, whose coding keys name fields of the declaration.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a key is not that of a field, if a field has no value and the type
    ///   expects one, or if a value is of another type. The error names the type, the field, and what was expected and found.
    public func decode<Value: Decodable>(as type: Value.Type) throws -> Value {
        try Value(from: FieldDecoder(Value.self, record: record, definitions: layout.definitions))
    }

    private mutating func apply(_ encoded: FieldEncoder.Output) {
        for (key, value) in encoded.values { content.setFieldValue(value, forKey: key) }
    }
}

extension FieldEncoder {
    convenience init<Fields: RecordFields>(_ type: Any.Type, layout: RecordLayout<Fields>) {
        self.init(type, recordType: Fields.recordType, definitions: layout.definitions)
    }
}
