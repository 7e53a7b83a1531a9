/// The changes that applying a schema makes to a database: it adds types and fields, and replaces the indexes.
///
/// As with an import into CloudKit, an option or index that a named record type omits is dropped. Omitted fields and record types
/// stay, because they may have values.
enum SchemaExtensionRule {
    /// The permitted numbers of fields of a compound index.
    static let compoundSizes = 2...8

    /// The changes of a database's schema.
    struct Changes: Sendable {
        fileprivate(set) var additions: [(recordType: Record.RecordType, fields: [StoredField])] = []
        fileprivate(set) var indexes: [(recordType: Record.RecordType, indexes: Set<StoredIndex>)] = []

        /// The paths into JSON whose hidden fields are filled, and those whose hidden fields are removed.
        fileprivate(set) var paths: [PathChange] = []

        /// The rules of the database, and the new ones.
        fileprivate(set) var rules: (old: SchemaRules, new: SchemaRules) = (SchemaRules(), SchemaRules())

        /// Whether nothing changes.
        var isEmpty: Bool { additions.isEmpty && indexes.isEmpty && paths.isEmpty && rules.old == rules.new }

        /// The lists of fields whose values become unique, by record type.
        var newUniqueKeys: [(recordType: Record.RecordType, keys: [Record.FieldKey])] {
            rules.new.types.sorted { $0.key < $1.key }.flatMap { recordType, type in
                type.uniqueKeys.subtracting(rules.old[recordType].uniqueKeys).sortedByNames.map { (recordType, $0) }
            }
        }
    }

    /// The changes of the paths into JSON that the indexes of a record type cover.
    struct PathChange: Sendable {
        let recordType: Record.RecordType
        let added: [IndexedPath]
        let removed: [IndexedPath]
    }

    /// Throws if a schema is invalid for any database.
    static func validate(_ schema: Schema) throws(CabinetError) {
        for role in schema.roles.sorted() { try NameRule.role.validate(role) }
        for (recordType, type) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
            try NameRule.recordType.validate(recordType)
            if let role = type.grants.filter(\.value.isEmpty).keys.min() {
                throw CabinetError(
                    .invalidArguments,
                    "The schema grants '\(role)' nothing on \(recordType). Leave the role out of the grants.")
            }
            for role in type.grants.keys.sorted() where !schema.roles.union(Schema.systemRoles).contains(role) {
                throw CabinetError(
                    .invalidArguments,
                    "The schema grants permissions on \(recordType) to '\(role)', which is not one of its roles. Add it to the "
                        + "roles, or use _world, _icloud or _creator.")
            }
            if recordType == UserRecordRule.recordType, !type.storedIndexes.isEmpty {
                throw CabinetError(
                    .invalidArguments,
                    "Users records cannot be queried, so they have no indexes; leave the options and indexes of '\(recordType)' out of the schema."
                )
            }
            for (key, field) in type.fields.sorted(by: { $0.key < $1.key }) {
                if let reason = reason(toReject: field, named: key, of: recordType) {
                    throw CabinetError(.invalidArguments, reason, fieldKey: key)
                }
            }
        }
    }

    /// Returns the changes that a valid schema makes to a database.
    ///
    /// - Parameters:
    ///   - stored: The database's schema.
    ///   - schema: The schema.
    ///   - rules: The database's roles, grants and unique values.
    ///   - keepingIndexes: Whether to keep what the schema omits, and the grants of types that exist.
    ///   - isComplete: Whether to remove the roles that the schema omits, unless a grant names them.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a field has another type in the database, or if an index has fields
    ///   that do not exist or have no order.
    static func changes(
        to stored: StoredSchema, _ rules: SchemaRules = SchemaRules(), by schema: Schema, keepingIndexes: Bool = false,
        isComplete: Bool = false
    ) throws(CabinetError) -> Changes {
        var changes = Changes()
        changes.rules = (rules, self.rules(rules, by: schema, stored, keepingIndexes, isComplete))
        let formerNames = FormerNameRule(rules)
        for (recordType, type) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
            let known = stored.recordTypes[recordType]
            if known == nil, let violation = formerNames.violation(of: recordType, declaredIn: schema) {
                throw violation
            }
            var new: [StoredField] = []
            for (key, field) in type.fields.sorted(by: { $0.key < $1.key }) where SystemField(rawValue: key) == nil {
                guard let knownType = known?[key] else {
                    if let violation = formerNames.violation(of: key, in: recordType, declaredIn: schema) {
                        throw violation
                    }
                    new.append(StoredField(name: key, type: field.type))
                    continue
                }
                if knownType == field.type { continue }
                throw CabinetError(
                    .invalidArguments,
                    "The field '\(key)' of \(recordType) holds \(knownType) values, and cannot become \(field.type). "
                        + "Give the new field another name.",
                    fieldKey: key)
            }
            for index in type.sortedIndexes + type.uniqueKeys.sortedByNames {
                func typeOf(_ key: Record.FieldKey) -> FieldType? {
                    SystemField(rawValue: key)?.fieldType ?? type[key]?.type ?? known?[key]
                }
                let isUnique = type.uniqueKeys.contains(index)
                if let reason = reason(toReject: index, of: recordType, isUnique: isUnique, typeOf: typeOf) {
                    throw CabinetError(.invalidArguments, reason)
                }
                if isUnique, type.indexes.contains(index) {
                    throw CabinetError(
                        .invalidArguments,
                        "UNIQUE (\(index.joined(separator: ", "))) of \(recordType) has an index already. Remove the index of "
                            + "the same fields.")
                }
            }
            let storedIndexes = stored.indexes[recordType] ?? []
            var indexes = keepingIndexes ? type.storedIndexes.union(storedIndexes) : type.storedIndexes
            if !changes.rules.new[recordType].grants.isEmpty { indexes.insert(SchemaRules.indexOfGrants) }
            new += try changes.addPaths(of: indexes, to: recordType, stored, keepingOthers: keepingIndexes)
            if known == nil || !new.isEmpty { changes.additions.append((recordType, new)) }
            if indexes != storedIndexes { changes.indexes.append((recordType, indexes)) }
        }
        return changes
    }

    /// Returns why a schema cannot have a field; `nil` if it can.
    private static func reason(
        toReject field: Schema.Field, named key: Record.FieldKey, of recordType: Record.RecordType
    ) -> String? {
        if let system = SystemField(rawValue: key) {
            if field.type != system.fieldType {
                return
                    "Every record has the property '\(key)', of type \(system.fieldType); the schema says \(field.type)."
            }
        } else {
            if let violation = NameRule.fieldKey.violation(in: key) { return violation.message }
            if let reason = NameGrammar.refusal(ofReserved: key) { return reason }
        }
        func refusal(_ option: String, _ expected: String) -> String {
            "The field '\(key)' of \(recordType) is of type \(field.type) and cannot be \(option); expected \(expected)."
        }
        if let reason = EncryptionRule.reason(toReject: field.options, of: field.type) {
            return "The field '\(key)' of \(recordType) \(reason)."
        }
        if field.options.contains(.queryable), field.type.scalar == .asset {
            return refusal("QUERYABLE", "any type but ASSET")
        }
        if field.options.contains(.sortable), !field.type.hasOrder {
            return refusal("SORTABLE", "a field of text, numbers, dates, bytes or references")
        }
        if let rule = field.deleteRule, field.type.scalar != .reference || SystemField(rawValue: key) != nil {
            return
                "The field '\(key)' of \(recordType) is of type \(field.type) and cannot have ON DELETE \(rule.word); "
                + "expected a field of references that records set."
        }
        if field.options.contains(.searchable), field.type != .string { return refusal("SEARCHABLE", "STRING") }
        return nil
    }

    private static func canBeUnique(_ field: SystemField) -> Bool { field == .parent || field == .creatorUserRecordID }

    /// Returns the rules of a database after a schema was applied.
    private static func rules(
        _ rules: SchemaRules, by schema: Schema, _ stored: StoredSchema, _ keepsOmitted: Bool, _ isComplete: Bool
    ) -> SchemaRules {
        var new = rules
        for (recordType, type) in schema.recordTypes {
            let known = rules[recordType].uniqueKeys
            new[recordType].uniqueKeys = keepsOmitted ? known.union(type.uniqueKeys) : type.uniqueKeys
            // An applied schema without grants must not open what another one has closed.
            if type.grants.isEmpty && !isComplete || keepsOmitted && stored.recordTypes[recordType] != nil { continue }
            new.setGrants(type.grants, of: recordType)
        }
        new.forgetFormerNames(in: schema)
        if isComplete {
            let granted = new.types.values.flatMap(\.grants.keys)
            new.roles = schema.roles.union(Set(granted).subtracting(Schema.systemRoles))
        } else {
            new.roles.formUnion(schema.roles)
        }
        return new
    }

    /// Returns why a schema cannot have a compound index, or unique values; `nil` if it can.
    private static func reason(
        toReject index: [Record.FieldKey], of recordType: Record.RecordType, isUnique: Bool,
        typeOf: (Record.FieldKey) -> FieldType?
    ) -> String? {
        let name = "\(isUnique ? "UNIQUE" : "The index") (\(index.joined(separator: ", "))) of \(recordType)"
        let hasOne = isUnique || index.count == 1 && IndexedPath(index[0]) != nil
        let compoundSizes = hasOne ? 1...Self.compoundSizes.upperBound : Self.compoundSizes
        if isUnique, let key = index.first(where: { SystemField(rawValue: $0).map(canBeUnique) == false }) {
            return
                "\(name) names '\(key)', which each save sets. Of the system fields, only parent and creatorUserRecordID "
                + "can be unique."
        }
        if !compoundSizes.contains(index.count) {
            return
                "\(name) has \(index.count.counted("field")); expected \(compoundSizes.lowerBound) to \(compoundSizes.upperBound)."
                + (index.count == 1 ? " For a single field, use its options QUERYABLE and SORTABLE." : "")
        }
        var seen: Set<Record.FieldKey> = []
        for key in index {
            let path = IndexedPath(key)
            if !seen.insert(path?.key ?? key).inserted { return "\(name) names '\(key)' twice; once is enough." }
            if let path {
                if isUnique {
                    return "\(name) names '\(key)', a value in JSON. Only the values of fields can be unique."
                }
                if let refusal = path.refusal { return "\(name) names '\(key)', \(refusal). Index another value." }
                if typeOf(path.fieldKey) == .string { continue }
                return
                    "\(name) names '\(key)', and '\(path.fieldKey)' is not a STRING field of the type, whose text could be JSON. "
                    + "Add it to the schema."
            }
            guard let type = typeOf(key) else {
                return "\(name) names '\(key)', which is not a field of the type. Add it to the schema with its type."
            }
            if !type.hasOrder {
                return
                    "\(name) names '\(key)', which is of type \(type); expected fields of text, numbers, dates, bytes or "
                    + "references."
            }
        }
        return nil
    }
}

extension FieldType {
    /// Whether records can be sorted by values of the type.
    fileprivate var hasOrder: Bool { !isEncrypted && !isList && scalar != .location && scalar != .asset }
}

extension SchemaExtensionRule.Changes {
    /// Adds the changes of the paths into JSON that indexes cover.
    ///
    /// - Returns: The hidden fields that the record type lacks.
    fileprivate mutating func addPaths(
        of indexes: Set<StoredIndex>, to recordType: Record.RecordType, _ stored: StoredSchema, keepingOthers: Bool
    ) throws(CabinetError) -> [StoredField] {
        let paths = indexes.indexedPaths
        let (known, covered) = (stored.hiddenPaths(of: SchemaPart(recordType)), stored.indexedPaths(of: recordType))
        if paths.isEmpty && known.isEmpty { return [] }
        if paths.count > IndexedPath.maximumCount {
            throw CabinetError(
                .invalidArguments,
                "The indexes of \(recordType) name \(paths.count) values in JSON; expected at most \(IndexedPath.maximumCount). "
                    + "Keep the values of the others in fields.")
        }
        let added = paths.subtracting(covered).sorted { $0.key < $1.key }
        let removed = keepingOthers ? [] : known.filter { !paths.contains($0) }
        // A new type has no records.
        if stored.recordTypes[recordType] != nil, !added.isEmpty || !removed.isEmpty {
            self.paths.append(.init(recordType: recordType, added: added, removed: removed))
        }
        return added.filter { !known.contains($0) }.map { StoredField(name: $0.hiddenKey, type: $0.type) }
    }
}
