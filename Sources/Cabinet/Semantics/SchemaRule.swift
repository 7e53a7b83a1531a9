/// What the schema makes of a value: the first one fixes the type of its field, later ones must fit it.
///
/// This is CloudKit's development environment, with one conversion: an integer widens into a DOUBLE field, and a number without
/// a fraction fits an INT64 field.
struct SchemaRule: Sendable {
    private var schema: StoredSchema
    /// The fields that the records seen so far add to the schema, by record type, in the order in which they came.
    private(set) var additions: [(recordType: Record.RecordType, fields: [StoredField])] = []

    init(schema: StoredSchema) {
        self.schema = schema
    }

    /// The fields as the schema stores them; adds to the schema what it does not have yet.
    mutating func fit(_ fields: RecordFields, of recordType: Record.RecordType) throws(CabinetError) -> RecordFields {
        var fitted = fields
        var new: [StoredField] = []
        let known = schema.recordTypes[recordType]
        for (key, value) in zip(fields.names.names, fields.values) {
            guard let value else { continue }
            guard let type = known?[key] else {
                new.append(StoredField(name: key, type: value.fieldType))
                continue
            }
            if type == value.fieldType { continue }
            guard let converted = value.converted(to: type) else {
                throw CabinetError(
                    .invalidArguments,
                    "The field '\(key)' of \(recordType) holds \(type) values; the new value \(value.shortDescription) is of type \(value.fieldType).",
                    fieldKey: key)
            }
            fitted[key] = converted
        }
        if known == nil || !new.isEmpty { add(new, to: recordType) }
        return fitted
    }

    private mutating func add(_ fields: [StoredField], to recordType: Record.RecordType) {
        additions.append((recordType, fields))
        for field in fields { schema.recordTypes[recordType, default: [:]][field.name] = field.type }
        if fields.isEmpty { schema.recordTypes[recordType] = [:] }
    }
}

extension FieldValue {
    /// The value as another type of number, if it is exactly that number, or if it is an integer that widens.
    fileprivate func converted(to type: FieldType) -> FieldValue? {
        switch (self, type) {
        case (.int64(let value), .double): .double(Double(value))
        case (.double(let value), .int64): Int64(exactly: value).map(FieldValue.int64)
        case (.list(.int64(let values)), .list(of: .double)): .list(.double(values.map(Double.init)))
        case (.list(.double(let values)), .list(of: .int64)): converted(values)
        default: nil
        }
    }

    private func converted(_ values: [Double]) -> FieldValue? {
        let integers = values.compactMap(Int64.init(exactly:))
        return integers.count == values.count ? .list(.int64(integers)) : nil
    }

    /// The description, cut off where it gets long.
    fileprivate var shortDescription: String {
        let text = description
        return text.count > 60 ? "\(text.prefix(60))…" : text
    }
}
