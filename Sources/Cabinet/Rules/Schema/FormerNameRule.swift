/// The rule that the former name of a record type or field is refused, with its present name.
///
/// A program that does not know of the rename would otherwise find no records, or save values that the others do not see. A schema
/// that declares both names adds the former one again.
struct FormerNameRule: Sendable {
    private let rules: SchemaRules

    init(_ rules: SchemaRules) {
        self.rules = rules
    }

    /// Returns the error if a record type, which the database lacks, has another name now.
    ///
    /// - Parameter schema: A schema that declares the type.
    func violation(of recordType: Record.RecordType, declaredIn schema: Schema? = nil) -> CabinetError? {
        guard let newName = rules.types[recordType]?.newName, schema?.recordTypes[newName] == nil else { return nil }
        return CabinetError(
            .invalidArguments, "The record type '\(recordType)' was renamed to '\(newName)'. Use the new name.")
    }

    /// Returns the error if a field, which the database lacks, has another name now.
    ///
    /// - Parameters:
    ///   - key: The field.
    ///   - recordType: The type of its record.
    ///   - schema: A schema that declares the field.
    func violation(
        of key: Record.FieldKey, in recordType: Record.RecordType, declaredIn schema: Schema? = nil
    ) -> CabinetError? {
        guard let newName = rules.types[recordType]?.renamedFields[key], schema?[recordType][newName] == nil else {
            return nil
        }
        return CabinetError(
            .invalidArguments,
            "The field '\(key)' of \(recordType) was renamed to '\(newName)'. Use the new name.", fieldKey: key)
    }
}

extension FormerNameRule {
    /// Returns the error if a query names something by its former name.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keys: Fields or key paths whose values are computed.
    ///   - schema: The database's schema.
    func violation(in query: Query, valuesOf keys: [Record.FieldKey], schema: StoredSchema) -> CabinetError? {
        let unknown = query.namesUnknown(to: schema, valuesOf: keys)
        if unknown.isEmpty { return nil }
        for (key, recordType) in unknown {
            guard let key else {
                if let violation = recordType.flatMap({ violation(of: $0) }) { return violation }
                continue
            }
            for type in recordType.map({ [$0] }) ?? rules.types.keys.sorted() {
                if let violation = violation(of: key, in: type) { return violation }
            }
        }
        return nil
    }
}

extension Query {
    /// Returns the fields that the query names and a schema lacks, each with its record type, and the types that the schema lacks,
    /// without a field.
    ///
    /// The further steps of a key path have no known type. They are unknown if no record type has them.
    func namesUnknown(
        to schema: StoredSchema, valuesOf keys: [Record.FieldKey]
    ) -> [(key: Record.FieldKey?, recordType: Record.RecordType?)] {
        var unknown: [(key: Record.FieldKey?, recordType: Record.RecordType?)] = []
        func collect(_ steps: some Sequence<FieldPath.Step>) {
            for case .name(let name) in steps where SystemField(rawValue: name) == nil {
                if !schema.recordTypes.values.contains(where: { $0[name] != nil }) { unknown.append((name, nil)) }
            }
        }
        func collect(_ key: Record.FieldKey, of recordType: Record.RecordType) {
            // A malformed path is refused later.
            guard let path = try? FieldPath(key), let fields = schema.recordTypes[recordType] else { return }
            if fields[path.first] == nil, SystemField(rawValue: path.first) == nil {
                unknown.append((path.first, recordType))
            }
            collect(path.steps.dropFirst())
        }
        func collect(_ filter: Filter, of recordType: Record.RecordType) {
            if schema.recordTypes[recordType] == nil { unknown.append((nil, recordType)) }
            filter.forEachOperand { operand in
                switch operand {
                case .field(let key): collect(key, of: recordType)
                case .member(_, let member): collect((try? FieldPath.steps(of: member)) ?? [])
                case .referring(let type, let field, let filter):
                    collect(field, of: type)
                    collect(filter, of: type)
                default: break
                }
            }
        }
        collect(filter.isShallow ? filter : .constant(true), of: recordType)
        for key in sortDescriptors.map(\.key) + keys {
            if let (type, field, filter) = try? Sort(key).counted() {
                collect(field, of: type)
                collect(filter, of: type)
            } else {
                collect(key, of: recordType)
            }
        }
        return unknown
    }
}
