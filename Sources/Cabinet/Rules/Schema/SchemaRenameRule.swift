/// The rule by which a record type or a field gets another name.
///
/// Records stay what they were: a rename changes no change tag, and reports no change. A database that has nothing under the old name
/// is left alone, so that a program can rename at each start, and a repetition completes a rename of several databases.
enum SchemaRenameRule {
    /// Throws if no database can have the new name.
    ///
    /// - Parameter declared: The rule of a strict container, whose schema has the new name and not the old one.
    static func validate(
        _ part: SchemaPart, to newName: String, declared: StrictSchemaRule?
    ) throws(CabinetError) {
        try NameRule.recordType.validate(part.recordType)
        if let key = part.fieldKey {
            for name in [key, newName] {
                if let violation = NameRule.fieldKey.violation(in: name, fieldKey: name) { throw violation }
                guard SystemField(rawValue: name) != nil || NameGrammar.reservedFieldKeys.contains(name) else {
                    continue
                }
                throw CabinetError(
                    .invalidArguments,
                    "'\(name)' is a property of every record, which has no other name and is not the name of a field.",
                    fieldKey: name)
            }
        } else {
            try NameRule.recordType.validate(newName)
            if [part.recordType, newName].contains(UserRecordRule.recordType) {
                throw CabinetError(
                    .invalidArguments, "The records of users are of the type Users, which cannot be renamed.")
            }
        }
        if part.fieldKey ?? part.recordType == newName {
            throw CabinetError(
                .invalidArguments, "The new name of \(part.subject) is '\(newName)', as before.",
                fieldKey: part.fieldKey)
        }
        guard let declared else { return }
        if declared.declares(part) {
            throw CabinetError(
                .invalidArguments,
                "The container's schema declares \(part.subject). Declare '\(newName)' instead of it before the rename.",
                fieldKey: part.fieldKey)
        }
        try declared.check(part.fieldKey == nil ? newName : part.recordType)
        if part.fieldKey != nil { _ = try declared.type(of: newName, in: part.recordType) }
    }

    /// Whether a database has something under the old name.
    ///
    /// - Parameter losses: The number of values or records under the new name, which gives way if it has none.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the new name has values, or if the record type itself has another name.
    static func isNeeded(
        _ part: SchemaPart, to newName: String, in schema: StoredSchema, _ rules: SchemaRules, losing losses: Int
    ) throws(CabinetError) -> Bool {
        if part.fieldKey != nil, schema.recordTypes[part.recordType] == nil,
            let violation = FormerNameRule(rules).violation(of: part.recordType)
        {
            throw violation
        }
        if !schema.has(part) { return false }
        if let violation = EncryptionRule.violation(renaming: part, in: schema) { throw violation }
        for path in schema.hiddenPaths(of: part) where part.fieldKey != nil {
            guard let refusal = path.renamed(newName).refusal else { continue }
            throw CabinetError(
                .invalidArguments,
                "The index of '\(path.key)' would name '\(path.renamed(newName).key)', \(refusal). Use a shorter name, or drop the "
                    + "index.", fieldKey: newName)
        }
        if losses > 0 {
            throw CabinetError(
                .invalidArguments,
                "The database has both \(part.subject) and \(part.renamed(newName).subject), and a rename would lose what "
                    + "\(losses.counted("record has", "records have")) in the latter. Move the values from one to the other, and drop it.",
                fieldKey: part.fieldKey)
        }
        return true
    }
}

extension StoredSchema {
    /// Whether the schema has a record type or field.
    func has(_ part: SchemaPart) -> Bool {
        guard let fields = recordTypes[part.recordType] else { return false }
        return part.fieldKey.map { fields[$0] != nil } ?? true
    }
}

extension SchemaPart {
    /// Returns the type or field under another name.
    package func renamed(_ newName: String) -> SchemaPart {
        fieldKey == nil ? SchemaPart(newName) : SchemaPart(recordType, newName)
    }
}
