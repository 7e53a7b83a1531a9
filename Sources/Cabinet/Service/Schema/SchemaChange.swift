/// A change of a record type or field that has values.
public enum SchemaChange: Sendable, Hashable {
    /// The type or field gets another name.
    case rename(String)
    /// The type or field goes, unless more records or values would be lost than allowed; `nil` counts them alone.
    case drop(losingAtMost: Int?)
    /// The field gets another type.
    case setType(FieldType)
}

extension SchemaPart: CodedObject {
    init() {
        self.init("")
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var (recordType, fieldKey) = (recordType, fieldKey)
        try coder.part("recordType", &recordType)
        try coder.part("fieldKey", &fieldKey)
        self = SchemaPart(recordType, fieldKey)
    }
}

extension SchemaChange: CodedObject {
    init() {
        self = .rename("")
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var newName: String? = if case .rename(let name) = self { name } else { nil }
        try coder.part("newName", &newName)
        var (drops, limit, type): (Bool?, Int?, FieldType?) =
            switch self {
            case .rename: (nil, nil, nil)
            case .drop(let limit): (true, limit, nil)
            case .setType(let type): (nil, nil, type)
            }
        try coder.part("drops", &drops)
        try coder.part("losingAtMost", &limit)
        try coder.part("type", &type)
        if let newName {
            self = .rename(newName)
        } else if let type {
            self = .setType(type)
        } else if drops == true {
            self = .drop(losingAtMost: limit)
        }
    }
}
