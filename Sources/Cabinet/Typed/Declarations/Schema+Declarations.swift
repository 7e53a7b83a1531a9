extension Schema {
    /// Creates the schema of declarations: their record types, fields, indexes and delete rules.
    ///
    /// ```swift
    /// let schema = Schema(Items.self, Lists.self, Tags.self)
    /// let container = try Container(
    ///     identifier: "com.example.shopping", backend: backend,
    ///     schema: .strict(schema))
    /// ```
    ///
    /// - Parameter declarations: The declarations. If two of them have the same record type, as in two modules of a
    ///   program, the schema has the fields of both.
    public init(_ declarations: any RecordFields.Type...) {
        self.init(declarations)
    }

    /// Creates the schema of a list of declarations.
    ///
    /// - Parameter declarations: The declarations.
    public init(_ declarations: [any RecordFields.Type]) {
        self.init()
        for declaration in declarations { add(declaration) }
    }

    private mutating func add<Fields: RecordFields>(_ declaration: Fields.Type) {
        let layout = RecordLayout<Fields>.shared()
        var type = self[Fields.recordType]
        for field in layout.definitions { type[field.key] = Field(field.type, field.options, onDelete: field.action) }
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
