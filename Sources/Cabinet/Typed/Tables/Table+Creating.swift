extension Table where Fields.Required == NoRequiredFields {
    /// Creates a record that is not in the database yet, in the table's zone and with the declared defaults.
    ///
    /// - Parameter recordName: The record's name; by default a new one.
    public func make(named recordName: String = RecordID.uniqueRecordName()) -> Typed<Fields> {
        Typed(new: TypedID(database.recordID(named: recordName)), layout: layout)
    }

    /// Creates a record in the table's zone, and saves it.
    ///
    /// ```swift
    /// let milk = try await items.save { $0.name = "Milk"; $0.number = 2 }
    /// ```
    ///
    /// - Parameters:
    ///   - recordName: The record's name; by default a new one.
    ///   - isolation: The actor of the caller, on which the closure is called.
    ///   - fill: A closure that sets the fields of the record.
    /// - Returns: The record as the server has stored it.
    /// - Throws: The errors of the closure, and those of `save(_:savePolicy:)`.
    @discardableResult
    public func save(
        named recordName: String = RecordID.uniqueRecordName(), isolation: isolated (any Actor)? = #isolation,
        _ fill: (inout Typed<Fields>) throws -> Void
    ) async throws -> Typed<Fields> {
        var item = make(named: recordName)
        try fill(&item)
        return try await save(item)
    }
}

extension Table {
    /// Creates a record from a value of the program's own type, in the table's zone.
    ///
    /// The record has the name and zone that the value encodes as `recordID`, if it does.
    ///
    /// - Parameters:
    ///   - value: The value, whose coding keys name fields of the declaration.
    ///   - recordName: The record's name in the table's zone, instead of the value's own ID; by default a new one.
    /// - Throws: The errors of ``Typed/init(encoding:id:)``.
    public func make<Value: Encodable>(encoding value: Value, named recordName: String? = nil) throws -> Typed<Fields> {
        let id = recordName.map { TypedID<Fields>(database.recordID(named: $0)) }
        return try Typed(
            encoding: value, id: id, orElse: TypedID(database.recordID(named: RecordID.uniqueRecordName())),
            layout: layout)
    }

    /// Creates a record from a value of the program's own type in the table's zone, and saves it.
    ///
    /// - Parameters:
    ///   - value: The value, whose coding keys name fields of the declaration.
    ///   - recordName: The record's name in the table's zone, instead of the value's own ID; by default a new one.
    /// - Returns: The record as the server has stored it.
    /// - Throws: The errors of ``make(encoding:named:)`` and of `save(_:savePolicy:)`.
    @discardableResult
    public func save(
        encoding value: any Encodable, named recordName: String? = nil
    ) async throws -> Typed<Fields> {
        // Not generic: the compiler would take the closure of `save { … }` for a value, and report its type for each mistake.
        try await save(make(encoding: value, named: recordName))
    }

    /// Creates a record with required values, in the table's zone and with the declared defaults.
    ///
    /// - Parameters:
    ///   - required: The values of the required fields.
    ///   - recordName: The record's name; by default a new one.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a required value has another name or type than its field.
    public func make(
        _ required: Fields.Required, named recordName: String = RecordID.uniqueRecordName()
    ) throws -> Typed<Fields> {
        try Typed(required, id: TypedID(database.recordID(named: recordName)))
    }

    /// Creates a record with required values in the table's zone, and saves it.
    ///
    /// ```swift
    /// let milk = try await items.save(.init(name: "Milk", list: groceries.id)) {
    ///     $0.number = 2
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - required: The values of the required fields.
    ///   - recordName: The record's name; by default a new one.
    ///   - isolation: The actor of the caller, on which the closure is called.
    ///   - fill: A closure that sets further fields.
    /// - Returns: The record as the server has stored it.
    /// - Throws: The errors of the closure, of ``make(_:named:)`` and of `save(_:savePolicy:)`.
    @discardableResult
    public func save(
        _ required: Fields.Required, named recordName: String = RecordID.uniqueRecordName(),
        isolation: isolated (any Actor)? = #isolation, _ fill: (inout Typed<Fields>) throws -> Void = { _ in }
    ) async throws -> Typed<Fields> {
        var item = try make(required, named: recordName)
        try fill(&item)
        return try await save(item)
    }
}
