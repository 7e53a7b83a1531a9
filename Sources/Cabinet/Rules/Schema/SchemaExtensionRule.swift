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

        /// Whether nothing changes.
        var isEmpty: Bool { additions.isEmpty && indexes.isEmpty }

        var mutations: [StorageMutation] {
            additions.map { .addFields($0.fields, to: $0.recordType) }
                + indexes.map { .setIndexes($0.indexes, of: $0.recordType) }
        }
    }

    /// Throws if a schema is invalid for any database.
    static func validate(_ schema: Schema) throws(CabinetError) {
        for (recordType, type) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
            try NameRule.recordType.validate(recordType)
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
    ///   - keepingIndexes: Whether to keep indexes that the schema omits.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a field has another type in the database, or if an index has fields
    ///   that do not exist or have no order.
    static func changes(
        to stored: StoredSchema, by schema: Schema, keepingIndexes: Bool = false
    ) throws(CabinetError) -> Changes {
        var changes = Changes()
        for (recordType, type) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
            let known = stored.recordTypes[recordType]
            var new: [StoredField] = []
            for (key, field) in type.fields.sorted(by: { $0.key < $1.key }) where SystemField(rawValue: key) == nil {
                guard let knownType = known?[key] else {
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
            for index in type.sortedIndexes {
                func typeOf(_ key: Record.FieldKey) -> FieldType? {
                    SystemField(rawValue: key)?.fieldType ?? type[key]?.type ?? known?[key]
                }
                if let reason = reason(toReject: index, of: recordType, typeOf: typeOf) {
                    throw CabinetError(.invalidArguments, reason)
                }
            }
            if known == nil || !new.isEmpty { changes.additions.append((recordType, new)) }
            let storedIndexes = stored.indexes[recordType] ?? []
            let indexes = keepingIndexes ? type.storedIndexes.union(storedIndexes) : type.storedIndexes
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
            if NameGrammar.reservedFieldKeys.contains(key) {
                return "'\(key)' is a property of every record, and no field can have that name."
            }
        }
        func refusal(_ option: String, _ expected: String) -> String {
            "The field '\(key)' of \(recordType) is of type \(field.type) and cannot be \(option); expected \(expected)."
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

    /// Returns why a schema cannot have a compound index; `nil` if it can.
    private static func reason(
        toReject index: [Record.FieldKey], of recordType: Record.RecordType, typeOf: (Record.FieldKey) -> FieldType?
    ) -> String? {
        let name = "The index (\(index.joined(separator: ", "))) of \(recordType)"
        if !compoundSizes.contains(index.count) {
            return
                "\(name) has \(index.count) fields; expected \(compoundSizes.lowerBound) to \(compoundSizes.upperBound)."
                + (index.count == 1 ? " For a single field, use its options QUERYABLE and SORTABLE." : "")
        }
        var seen: Set<Record.FieldKey> = []
        for key in index {
            if !seen.insert(key).inserted { return "\(name) names '\(key)' twice; once is enough." }
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
    fileprivate var hasOrder: Bool { !isList && scalar != .location && scalar != .asset }
}
