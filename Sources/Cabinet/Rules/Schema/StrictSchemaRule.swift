/// The rule that requests name only declared record types and fields, and compare fields with values of their kind.
///
/// System fields and `Users` records are always declared. References have no target type, so a step of a key path through a
/// reference must be a field of some record type.
///
/// CloudKit's production environment refuses saves with `invalidArguments` in the same way: "Cannot create or modify field
/// 'order' in record 'Todo' in production schema".
struct StrictSchemaRule: Sendable {
    private let schema: StoredSchema
    /// The rule about the actions of references.
    private let actions: ReferenceActionRule

    init(_ schema: StoredSchema, actions: ReferenceActionRule = ReferenceActionRule(Schema())) {
        self.actions = actions
        var schema = schema
        if schema.recordTypes[UserRecordRule.recordType] == nil { schema.recordTypes[UserRecordRule.recordType] = [:] }
        self.schema = schema
    }

    /// Returns the type that the schema declares for a field.
    func type(of key: Record.FieldKey, in recordType: Record.RecordType) throws(CabinetError) -> FieldType {
        if let type = schema.recordTypes[recordType]?[key] { return type }
        throw unknownField(key, of: recordType)
    }

    /// Whether the schema declares a record type or field.
    func declares(_ part: SchemaPart) -> Bool { schema.has(part) }

    /// Checks a query, and its desired keys.
    func check(_ query: Query, desiredKeys: [Record.FieldKey]? = nil) throws {
        if ShareRule.isShare(query.recordType) { return }
        if let violation = UserRecordRule.violation(querying: query.recordType) { throw violation }
        try check(query.recordType)
        try query.filter.validateDepth()
        try check(query.filter, of: query.recordType)
        let fields = FieldTypes(of: query.recordType, in: schema)
        try query.filter.validate(fields: fields)
        try query.filter.validateKinds(fields: fields)
        for sort in query.sortDescriptors {
            if let (type, field, filter) = try sort.counted() {
                try filter.validateDepth()
                try checkReferring(type, by: field, where: filter)
                try filter.validateKinds(fields: fields.types(of: type))
            } else if !sort.isByRelevance {
                try check(sort.key, of: query.recordType)
            }
            try sort.validate(fields: fields)
        }
        _ = try query.sortDescriptors.searches(of: query.filter, in: fields)
        try check(desiredKeys: desiredKeys, of: query.recordType)
    }

    /// Checks the fields that a filter names, and those that filters within it name.
    private func check(_ filter: Filter, of recordType: Record.RecordType) throws {
        try filter.forEachComparison { comparison in
            for operand in comparison.allOperands {
                switch operand {
                case .field(let key): try check(key, of: recordType)
                case .member(_, let member): try check(FieldPath.steps(of: member), of: nil, in: member)
                case .referring(let type, let field, let filter): try checkReferring(type, by: field, where: filter)
                default: break
                }
            }
        }
    }

    /// Checks the records that a query counts.
    private func checkReferring(
        _ recordType: Record.RecordType, by field: Record.FieldKey, where filter: Filter
    ) throws {
        try check(recordType)
        try check(field, of: recordType)
        try check(filter, of: recordType)
    }

    /// Checks a record type.
    func check(_ recordType: Record.RecordType) throws(CabinetError) {
        if schema.recordTypes[recordType] != nil { return }
        let known = schema.recordTypes.keys.filter { $0 != UserRecordRule.recordType }
        throw Self.undeclared(
            "There is no record type '\(Self.shown(recordType))'. "
                + Self.advice(known.nearest(to: recordType), or: known, called: "record types"))
    }

    /// Checks a field, system field or key path of the records of a type.
    func check(_ key: Record.FieldKey, of recordType: Record.RecordType) throws {
        try check(FieldPath(key).steps, of: recordType, in: key)
    }

    /// Checks the fields that records are fetched with.
    ///
    /// - Parameter recordType: The type of the records; `nil` if they may be of any type.
    func check(desiredKeys: [Record.FieldKey]?, of recordType: Record.RecordType? = nil) throws(CabinetError) {
        for key in desiredKeys ?? []
        where !isKnown(key, of: recordType) && !NameGrammar.reservedFieldKeys.contains(key)
            && Share.SystemFieldKey.types[key] == nil
        {
            throw unknownField(key, of: recordType)
        }
    }

    /// Checks a schema to apply.
    func check(_ other: Schema) throws(CabinetError) {
        for (recordType, content) in other.recordTypes.sorted(by: { $0.key < $1.key }) {
            try check(recordType)
            for (key, field) in content.fields.sorted(by: { $0.key < $1.key }) where SystemField(rawValue: key) == nil {
                let declared = try type(of: key, in: recordType)
                try actions.check(field, key, of: recordType)
                if declared == field.type { continue }
                throw CabinetError(
                    .invalidArguments,
                    "The field '\(key)' of \(recordType) is \(declared) in the container's schema, and \(field.type) in the one to apply. "
                        + "To change the schema, apply it through a container that is not strict.", fieldKey: key)
            }
        }
    }

    /// Returns the error if a record has a type, or a changed field, that is not declared, or a reference with another action than
    /// declared.
    ///
    /// Unchanged fields that the record was fetched with may be undeclared: a newer version of the program may have added them.
    /// ``SchemaRule`` refuses those that would be new to the database. A migration may empty an undeclared field, to drop it.
    func violation(saving record: Record, inMigration: Bool = false) -> CabinetError? {
        if ShareRule.isShare(record.recordType) { return nil }
        do throws(CabinetError) {
            try check(record.recordType)
            let fields = record.fields
            let base = record.fetched?.fields
            for position in fields.names.names.indices {
                let key = fields.names.names[position]
                if schema.recordTypes[record.recordType]?[key] != nil { continue }
                if inMigration, fields.values[position] == nil { continue }
                let isChanged =
                    base.map { fields.isChanged(at: position, since: $0) } ?? (fields.values[position] != nil)
                if isChanged { throw unknownField(key, of: record.recordType) }
            }
            try actions.check(record)
            return nil
        } catch {
            var error = error
            error.recordID = record.recordID
            return error
        }
    }

    /// Returns the error if a subscription names an undeclared type or field.
    func violation(saving subscription: Subscription) -> CabinetError? {
        do {
            switch subscription {
            case .query(let query):
                try check(Query(recordType: query.recordType, filter: query.filter), desiredKeys: query.desiredKeys)
            case .recordZone(let zone): if let recordType = zone.recordType { try check(recordType) }
            case .database(let database): if let recordType = database.recordType { try check(recordType) }
            }
            return nil
        } catch {
            return error as? CabinetError ?? CabinetError(.internalError, "\(error)")
        }
    }
}

extension StrictSchemaRule {
    /// Checks the steps of a path.
    ///
    /// - Parameter recordType: The type of the records that the path begins at; `nil` if they may be of any type.
    private func check(
        _ steps: [FieldPath.Step], of recordType: Record.RecordType?, in path: Record.FieldKey
    ) throws(CabinetError) {
        var recordType = recordType
        for step in steps {
            guard case .name(let name) = step else { continue }
            if !isKnown(name, of: recordType) { throw unknownField(name, of: recordType, in: path) }
            recordType = nil
        }
    }

    private func isKnown(_ key: Record.FieldKey, of recordType: Record.RecordType?) -> Bool {
        if SystemField(rawValue: key) != nil { return true }
        guard let recordType else { return schema.recordTypes.values.contains { $0[key] != nil } }
        return schema.recordTypes[recordType]?[key] != nil
    }

    private func unknownField(
        _ key: Record.FieldKey, of recordType: Record.RecordType?, in path: Record.FieldKey? = nil
    ) -> CabinetError {
        let fields =
            recordType.map { Array((schema.recordTypes[$0] ?? [:]).keys) }
            ?? schema.recordTypes.values.flatMap(\.keys)
        let subject = "There is no field '\(Self.shown(key))' in \(recordType ?? "any record type")"
        let place = path.map { $0 == key ? "" : ", as in '\(Self.shown($0))'" } ?? ""
        let nearest =
            Self.cloudKitNames[key]?.rawValue ?? (fields + SystemField.allCases.map(\.rawValue)).nearest(to: key)
        return Self.undeclared(
            "\(subject)\(place). \(Self.advice(nearest, or: fields, called: "fields"))", fieldKey: path ?? key)
    }

    private static func undeclared(_ message: String, fieldKey: Record.FieldKey? = nil) -> CabinetError {
        var error = CabinetError(.invalidArguments, message, fieldKey: fieldKey)
        error.isUndeclared = true
        return error
    }

    /// Returns the nearest known name as a question, or the first known names.
    private static func advice(_ nearest: String?, or known: [String], called noun: String) -> String {
        if let nearest { return "Did you mean '\(nearest)'?" }
        let names = Set(known).sorted()
        if names.isEmpty { return "The schema declares no \(noun) here." }
        let rest = names.count > shownNames ? ", and \(names.count - shownNames) more" : ""
        return "The \(noun) are: \(names.prefix(shownNames).joined(separator: ", "))\(rest)."
    }

    private static let shownNames = 10

    /// The names that system fields have in CloudKit's schema language and Web Services.
    private static let cloudKitNames: [String: SystemField] = [
        "recordName": .recordID, "___recordID": .recordID, "___createTime": .creationDate,
        "___modTime": .modificationDate, "___createdBy": .creatorUserRecordID,
        "___modifiedBy": .lastModifiedUserRecordID,
    ]

    /// Returns a name for a message, shortened if it is long.
    private static func shown(_ name: String) -> String {
        name.utf8.count > 100 ? "\(name.prefix(100))…" : name
    }
}
