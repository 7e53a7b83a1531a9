/// A change of a record type or field that has values.
public enum SchemaChange: Sendable, Hashable {
    /// The type or field gets another name.
    case rename(String)
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
        if let newName { self = .rename(newName) }
    }
}
