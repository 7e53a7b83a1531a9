import Cabinet

/// The schema of a database, and the names under which its tables and columns are registered.
///
/// All databases share the tables, so a rename in one of them changes no table. The type or field gets a new name in the schema of
/// this database. Its table or column stays registered in `cabinet_record_type` or `cabinet_column` under the old name.
struct DatabaseSchema: Sendable, Hashable {
    private(set) var schema = StoredSchema()
    /// The registered names of record types that have other names in the schema.
    private(set) var typeNames: [Record.RecordType: String] = [:]
    /// The registered names of fields that have other names in the schema.
    private(set) var fieldNames: [Record.RecordType: [Record.FieldKey: String]] = [:]

    /// Whether a type or field has another name than the registered one.
    var hasOtherNames: Bool { !typeNames.isEmpty || !fieldNames.isEmpty }

    /// Returns the registered name of a record type.
    func registeredName(of recordType: Record.RecordType) -> String { typeNames[recordType] ?? recordType }

    /// Returns the record types by their registered names.
    func recordTypesByRegisteredName() -> [String: Record.RecordType] {
        Dictionary(typeNames.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the fields of a record type by their registered names and types.
    func registeredFields(of recordType: Record.RecordType) -> [StoredField: Record.FieldKey] {
        let names = fieldNames[recordType]
        let fields = (schema.recordTypes[recordType] ?? [:]).map { field, type in
            (StoredField(name: names?[field] ?? field, type: type), field)
        }
        return Dictionary(fields, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the schema of one record type alone.
    func only(_ recordType: Record.RecordType) -> DatabaseSchema {
        var part = DatabaseSchema()
        part.schema.recordTypes[recordType] = schema.recordTypes[recordType]
        part.schema.indexes[recordType] = schema.indexes[recordType]
        part.typeNames[recordType] = typeNames[recordType]
        part.fieldNames[recordType] = fieldNames[recordType]
        return part
    }
}

extension DatabaseSchema {
    /// Adds fields to a record type, and the type itself if it does not exist.
    ///
    /// A name that belongs to a renamed type or field is registered once more, as `name$2`.
    mutating func add(_ fields: [StoredField], to recordType: Record.RecordType) {
        if schema.recordTypes[recordType] == nil {
            let taken = Set(schema.recordTypes.keys.map(registeredName))
            let name = Self.unique(recordType) { taken.contains($0) }
            schema.recordTypes[recordType] = [:]
            setRegisteredName(name, of: SchemaPart(recordType))
        }
        var taken = registeredFields(of: recordType)
        for field in fields where schema.recordTypes[recordType]?[field.name] == nil {
            let name = Self.unique(field.name) { taken[StoredField(name: $0, type: field.type)] != nil }
            taken[StoredField(name: name, type: field.type)] = field.name
            schema.recordTypes[recordType]?[field.name] = field.type
            setRegisteredName(name, of: SchemaPart(recordType, field.name))
        }
    }

    /// Sets the name under which a type or field is registered.
    mutating func setRegisteredName(_ name: String, of part: SchemaPart) {
        if let field = part.fieldKey {
            var names = fieldNames[part.recordType] ?? [:]
            names[field] = name == field ? nil : name
            fieldNames[part.recordType] = names.isEmpty ? nil : names
        } else {
            typeNames[part.recordType] = name == part.recordType ? nil : name
        }
    }

    /// Replaces the indexes of a record type.
    mutating func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) {
        schema.indexes[recordType] = indexes.isEmpty ? nil : indexes
    }

    /// Renames a record type, or a field of one.
    mutating func rename(_ part: SchemaPart, to newName: String) {
        schema.rename(part, to: newName)
        if let field = part.fieldKey {
            let name = fieldNames[part.recordType]?[field] ?? field
            setRegisteredName(field, of: part)
            setRegisteredName(name, of: SchemaPart(part.recordType, newName))
        } else {
            let name = registeredName(of: part.recordType)
            typeNames[part.recordType] = nil
            setRegisteredName(name, of: SchemaPart(newName))
            fieldNames[newName] = fieldNames.removeValue(forKey: part.recordType)
        }
    }

    /// Removes a record type, or a field of one.
    mutating func remove(_ part: SchemaPart) {
        schema.remove(part)
        setRegisteredName(part.fieldKey ?? part.recordType, of: part)
        if part.fieldKey == nil { fieldNames[part.recordType] = nil }
    }

    private static func unique(_ name: String, isTaken: (String) -> Bool) -> String {
        var candidate = name
        var number = 2
        while isTaken(candidate) {
            candidate = "\(name)$\(number)"
            number += 1
        }
        return candidate
    }
}
