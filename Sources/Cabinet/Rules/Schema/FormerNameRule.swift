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
    /// Returns the error if one of the names that a database lacks is a former name.
    func violation(of unknown: [UnknownName]) -> CabinetError? {
        for name in unknown {
            switch name {
            case .recordType(let recordType):
                if let violation = violation(of: recordType) { return violation }
            case .field(let key, let recordType):
                for type in recordType.map({ [$0] }) ?? rules.types.keys.sorted() {
                    if let violation = violation(of: key, in: type) { return violation }
                }
            }
        }
        return nil
    }
}

/// A name in a query that the database's schema lacks.
enum UnknownName: Sendable, Hashable {
    case recordType(Record.RecordType)
    /// A field of a record type; without a type, a further step of a key path, which no record type has.
    case field(Record.FieldKey, of: Record.RecordType?)
}

extension Query {
    /// Returns the names of the query that a schema lacks, also those of the records that it counts.
    ///
    /// - Parameters:
    ///   - schema: The database's schema.
    ///   - keys: Fields or key paths whose values are computed.
    func namesUnknown(to schema: StoredSchema, valuesOf keys: [Record.FieldKey]) -> [UnknownName] {
        var names = UnknownNames(schema: schema)
        names.collect(sortDescriptors.map(\.key) + keys, filter, of: recordType)
        for sort in sortDescriptors {
            // A malformed key is refused later.
            guard let (type, field, filter) = try? sort.counted() else { continue }
            names.collect([field], filter, of: type)
        }
        return names.found
    }
}

/// The names that a schema lacks.
private struct UnknownNames {
    let schema: StoredSchema
    private(set) var found: [UnknownName] = []

    init(schema: StoredSchema) {
        self.schema = schema
    }

    /// Collects a record type; if the schema has it, the unknown ones of the fields that keys and a filter name.
    mutating func collect(_ keys: [Record.FieldKey], _ filter: Filter, of recordType: Record.RecordType) {
        guard let fields = schema.recordTypes[recordType] else {
            found.append(.recordType(recordType))
            return
        }
        for key in keys { collect(key, fields, of: recordType) }
        // A filter that is too deep for recursion is refused later.
        guard filter.isShallow else { return }
        filter.forEachOperand { operand in
            switch operand {
            case .field(let key): collect(key, fields, of: recordType)
            case .member(_, let member): collect((try? FieldPath.steps(of: member)) ?? [])
            case .referring(let type, let field, let filter): collect([field], filter, of: type)
            default: break
            }
        }
    }

    private mutating func collect(
        _ key: Record.FieldKey, _ fields: [Record.FieldKey: FieldType], of recordType: Record.RecordType
    ) {
        // A malformed path is refused later.
        guard let path = try? FieldPath(key) else { return }
        if fields[path.first] == nil, SystemField(rawValue: path.first) == nil {
            found.append(.field(path.first, of: recordType))
        }
        collect(path.steps.dropFirst())
    }

    private mutating func collect(_ steps: some Sequence<FieldPath.Step>) {
        for case .name(let name) in steps where SystemField(rawValue: name) == nil {
            if !schema.recordTypes.values.contains(where: { $0[name] != nil }) {
                found.append(.field(name, of: nil))
            }
        }
    }
}
