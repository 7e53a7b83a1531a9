/// The rule that the first value of a field determines its type, and that later values must fit it.
///
/// This is CloudKit's development environment, with one conversion: an integer widens into a DOUBLE field, and a number without a
/// fraction fits an INT64 field. A number that the other type cannot represent exactly is refused.
struct SchemaRule: Sendable {
    private var schema: StoredSchema
    /// The permitted types and fields, if the container is strict.
    private let declared: StrictSchemaRule?
    /// The former names, which no save adds again.
    private let formerNames: FormerNameRule
    /// The fields that the records so far add to the schema, by record type, in the order of their first records.
    private(set) var additions: [(recordType: Record.RecordType, fields: [StoredField])] = []

    /// The names of the latest record, its type, and the types that the schema has for the names.
    private var names: FieldNames?
    private var recordType: Record.RecordType = ""
    private var isKnown = false
    private var types: [FieldType?] = []
    /// The paths into JSON that have a hidden field in the latest type, also while an index is built or dropped.
    private var paths: [IndexedPath] = []

    init(schema: StoredSchema, rules: SchemaRules = SchemaRules(), declared: StrictSchemaRule? = nil) {
        formerNames = FormerNameRule(rules)
        self.schema = schema
        self.declared = declared
    }

    /// Converts fields to the types of the schema, adds missing fields to the schema, and sets the hidden fields of indexes.
    ///
    /// - Returns: The converted fields; `nil` if all fields have their types already, so that the record need not be copied.
    mutating func fitted(
        _ fields: FieldValues, of recordType: Record.RecordType
    ) throws(CabinetError) -> FieldValues? {
        var fitted: FieldValues?
        readTypes(of: fields.names, in: recordType)
        var new: [StoredField] = []
        for position in types.indices {
            guard let value = fields.values[position] else { continue }
            let key = fields.names.names[position]
            let type: FieldType
            if let known = types[position] {
                type = known
            } else {
                if let violation = formerNames.violation(of: key, in: recordType) { throw violation }
                type =
                    try (ShareRule.isShare(recordType) ? nil : declared)?.type(of: key, in: recordType)
                    ?? value.fieldType
                new.append(StoredField(name: key, type: type))
            }
            if value.fits(type) { continue }
            guard let converted = value.converted(to: type) else {
                let reason =
                    type.isNumeric && value.fieldType.isNumeric ? ", and \(type) cannot represent it exactly" : ""
                throw CabinetError(
                    .invalidArguments,
                    "The field '\(key)' of \(recordType) holds \(type) values; the new value \(value.description(upTo: 60)) is of type \(value.fieldType)\(reason).",
                    fieldKey: key)
            }
            fitted = fitted ?? fields
            fitted?[key] = converted
        }
        if !isKnown, let violation = formerNames.violation(of: recordType) { throw violation }
        if !isKnown || !new.isEmpty { add(new, to: recordType) }
        for path in paths { try path.setHiddenField(in: &fitted, of: fields) }
        return fitted
    }

    /// Reads the types of fields, which adjacent records of a batch mostly share.
    private mutating func readTypes(of names: FieldNames, in recordType: Record.RecordType) {
        if self.names === names, self.recordType.hasSameScalars(as: recordType) { return }
        let known = schema.recordTypes[recordType]
        isKnown = known != nil
        types = names.names.map { known?[$0] }
        paths = schema.hiddenPaths(of: SchemaPart(recordType))
        self.names = names
        self.recordType = recordType
    }

    private mutating func add(_ fields: [StoredField], to recordType: Record.RecordType) {
        names = nil
        additions.append((recordType, fields))
        for field in fields { schema.recordTypes[recordType, default: [:]][field.name] = field.type }
        if fields.isEmpty { schema.recordTypes[recordType] = [:] }
    }
}

extension IndexedPath {
    /// Sets the hidden field to the value that the path leads to.
    ///
    /// - Parameters:
    ///   - changed: The changed fields; `nil` while there is nothing to change.
    ///   - fields: The unchanged ones.
    fileprivate func setHiddenField(in changed: inout FieldValues?, of fields: FieldValues) throws(CabinetError) {
        let value = try value(in: changed ?? fields)
        if FieldValue.isSame((changed ?? fields)[hiddenKey], value) { return }
        changed = changed ?? fields
        changed?[hiddenKey] = value
    }
}

extension FieldType {
    /// Whether values of the type are numbers, or lists of them.
    fileprivate var isNumeric: Bool { scalar == .int64 || scalar == .double }
}

extension FieldValue {
    /// Whether a field of the type can hold the value unchanged.
    package func fits(_ type: FieldType) -> Bool {
        switch (self, type) {
        case (.string, .string), (.int64, .int64), (.double, .double), (.timestamp, .timestamp), (.bytes, .bytes),
            (.reference, .reference), (.location, .location), (.asset, .asset):
            true
        case (.list, _), (.encrypted, _): fieldType == type
        default: false
        }
    }

    /// Returns the value as another type of number, or an empty list as one of another type; `nil` if that cannot represent it exactly.
    package func converted(to type: FieldType) -> FieldValue? {
        switch (self, type) {
        case (.int64(let value), .double): Double(exactly: value).map(FieldValue.double)
        case (.double(let value), .int64): Int64(exactly: value).map(FieldValue.int64)
        case (.list(.int64(let values)), .list(of: .double)): converted(values)
        case (.list(.double(let values)), .list(of: .int64)): converted(values)
        // Its elements, which would show their type, are missing.
        case (.list(let list), _) where list.count == 0 && type.isList: .list(FieldList(emptyOf: type.scalar))
        default: nil
        }
    }

    private func converted(_ values: [Int64]) -> FieldValue? {
        let numbers = values.compactMap(Double.init(exactly:))
        return numbers.count == values.count ? .list(.double(numbers)) : nil
    }

    private func converted(_ values: [Double]) -> FieldValue? {
        let integers = values.compactMap(Int64.init(exactly:))
        return integers.count == values.count ? .list(.int64(integers)) : nil
    }
}

extension Schema {
    /// Throws if no database could have the schema, regardless of the database's content.
    ///
    /// Names must be well-formed, options must fit the types of their fields, and compound indexes must name fields that have an order.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments``, which names the record type and field.
    public func validate() throws(CabinetError) {
        try SchemaExtensionRule.validate(self)
        _ = try SchemaExtensionRule.changes(to: StoredSchema(), by: self)
    }
}
