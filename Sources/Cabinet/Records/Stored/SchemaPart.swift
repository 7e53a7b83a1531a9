/// A record type, or a field of one: `Items`, `Items.due`.
public struct SchemaPart: Sendable, Hashable {
    /// The name of the record type.
    public let recordType: Record.RecordType

    /// The name of the field; `nil` for the record type itself.
    public let fieldKey: Record.FieldKey?

    /// Creates a part of a schema.
    ///
    /// - Parameters:
    ///   - recordType: The name of the record type.
    ///   - fieldKey: The name of a field of it; by default none, for the record type itself.
    public init(_ recordType: Record.RecordType, _ fieldKey: Record.FieldKey? = nil) {
        self.recordType = recordType
        self.fieldKey = fieldKey
    }
}

extension SchemaPart: CustomStringConvertible {
    /// The name of the record type, and after a dot that of the field: `Items`, `Items.due`.
    public var description: String { fieldKey.map { "\(recordType).\($0)" } ?? recordType }

    /// Creates a part of a schema from its description, or returns `nil` if the text is not one.
    ///
    /// - Parameter description: The name of a record type, or of a record type and a field with a dot between them.
    public init?(parsing description: String) {
        let names = description.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= 2, !names.contains("") else { return nil }
        self.init(names[0], names.count == 2 ? names[1] : nil)
    }
}

extension SchemaPart {
    /// The part in the words of a sentence: `the field 'due' of Items`.
    var subject: String { fieldKey.map { "the field '\($0)' of \(recordType)" } ?? "the record type '\(recordType)'" }
}
