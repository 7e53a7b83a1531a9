/// A schema is an object of its record types, in the order of their names.
extension Schema: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var types = CodedDictionary(recordTypes)
        try coder.part("recordTypes", &types)
        recordTypes = types.values
        var roles = roles.sorted()
        try coder.part("roles", &roles)
        self.roles = Set(roles)
    }

    init() {
        self.init(recordTypes: [:])
    }
}

extension Schema.RecordType: CodedObject {
    init() {
        self.init(fields: [:])
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var fields = CodedDictionary(fields)
        try coder.part("fields", &fields)
        self.fields = fields.values
        var indexes = sortedIndexes
        try coder.part("indexes", &indexes)
        self.indexes = Set(indexes)
        var keys = uniqueKeys.sortedByNames
        try coder.part("uniqueKeys", &keys)
        uniqueKeys = Set(keys)
        var grants = CodedDictionary(grants.mapValues(\.sorted))
        try coder.part("grants", &grants)
        self.grants = grants.values.mapValues(Set.init)
    }
}

extension Schema.Permission: Coded {}

extension Schema.Field: CodedObject {
    init() {
        self.init(.string)
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("type", &type)
        var options: Int? = options.isEmpty ? nil : options.rawValue
        try coder.part("options", &options)
        self.options = Options(rawValue: options ?? 0)
        try coder.part("deleteRule", &deleteRule)
    }
}

extension FieldType: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> FieldType {
        guard let type = FieldType(try reader.readText()) else {
            throw reader.unexpected("a field type such as STRING before here")
        }
        return type
    }

    func write(to writer: inout JSONWriter) { writer.write(description) }
}

/// A dictionary as it is coded: an object, in the order of its keys.
struct CodedDictionary<Value: Coded>: Coded {
    var values: [String: Value]

    init(_ values: [String: Value]) {
        self.values = values
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self {
        var values: [String: Value] = [:]
        try reader.members { reader, key throws(CabinetError) in values[key] = try Value.read(from: &reader) }
        return Self(values)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            for (key, value) in values.sorted(by: { Ordering($0.key, $1.key) == .before }) {
                writer.key(key)
                try value.write(to: &writer)
            }
        }
    }
}
