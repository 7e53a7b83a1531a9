/// A change of a record type or field that has values.
public enum SchemaChange: Sendable, Hashable {
    /// The type or field gets another name.
    case rename(String)
}

extension SchemaPart: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> SchemaPart {
        guard let part = SchemaPart(parsing: try reader.readText()) else {
            throw reader.unexpected("a record type such as Items, or a field such as Items.due, before here")
        }
        return part
    }

    func write(to writer: inout JSONWriter) { writer.write(description) }
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
