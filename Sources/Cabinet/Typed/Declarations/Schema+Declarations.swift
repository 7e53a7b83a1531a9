extension Schema {
    /// Creates the schema of declarations: their record types, fields, indexes and delete rules.
    ///
    /// ```swift
    /// let schema = try Schema(Items.self, Lists.self, Tags.self)
    /// let container = try Container(
    ///     identifier: "com.example.shopping", backend: backend,
    ///     schema: .strict(schema))
    /// ```
    ///
    /// - Parameter declarations: The declarations. If two of them have the same record type, as in two modules of a
    ///   program, the schema has the fields of both.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if two declarations of a type differ in a field, if two properties have
    ///   the same key, or if a property is named `id` or `record`.
    public init(_ declarations: any RecordFields.Type...) throws(CabinetError) {
        try self.init(declarations)
    }

    /// Creates the schema of a list of declarations.
    ///
    /// - Parameter declarations: The declarations.
    /// - Throws: The errors of the initializer with several declarations.
    public init(_ declarations: [any RecordFields.Type]) throws(CabinetError) {
        self.init()
        for declaration in declarations { try add(declaration) }
    }

    private mutating func add<Fields: RecordFields>(_ declaration: Fields.Type) throws(CabinetError) {
        let layout = RecordLayout<Fields>.shared()
        var type = self[Fields.recordType]
        var properties: [Record.FieldKey: String] = [:]
        for (property, field) in zip(layout.properties, layout.definitions) {
            func refusal(_ message: String) -> CabinetError {
                CabinetError(.invalidArguments, "\(Fields.self) \(message)", fieldKey: field.key)
            }
            if ["id", "record"].contains(property) {
                throw refusal(
                    "names a property '\(property)', which every typed record has. Rename the property; its key is free."
                )
            }
            if let other = properties.updateValue(property, forKey: field.key) {
                throw refusal(
                    "declares '\(other)' and '\(property)' with the same key '\(field.key)'. Give each its own key.")
            }
            guard let fieldType = field.schemaType else {
                throw refusal("declares '\(property)' as encrypted. References and assets cannot be encrypted.")
            }
            let new = Field(fieldType, field.options, onDelete: field.action)
            if let old = type[field.key], old != new {
                throw refusal(
                    "declares the field '\(field.key)' of \(Fields.recordType) as \(new), and another declaration of "
                        + "the type as \(old). Declare it in the same way.")
            }
            type[field.key] = new
            for (path, options) in field.isEncrypted ? [] : field.jsonType?.indexes(from: field.key) ?? [] {
                if options.contains(.searchable) {
                    throw refusal(
                        "has '\(path)', which cannot be SEARCHABLE: the words of a value in JSON have no index. Use .queryable or "
                            + ".sortable.")
                }
                type.indexes.insert([path])
            }
        }
        for index in layout.fields.indexes {
            type.indexes.insert(index.map(\.key))
            for field in index {
                guard let system = SystemField(rawValue: field.key), type[field.key] == nil else { continue }
                type[field.key] = Field(system.fieldType)
            }
        }
        self[Fields.recordType] = type
    }
}
