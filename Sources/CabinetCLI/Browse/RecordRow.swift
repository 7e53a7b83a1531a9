import Cabinet

/// A line of a record's screen.
enum RecordRow: Sendable, Hashable {
    /// A value that the store assigns, such as a date.
    case system(String)
    case parent
    case field(String)
    /// A reference in a list.
    case element(String, Int)
    /// The records of a type that refer to the record with a field.
    case referrers(Record.RecordType, String, isList: Bool)
}

extension Schema {
    /// The fields of all types that can refer to a record.
    var referenceFields: [RecordRow] {
        recordTypes.sorted { $0.key < $1.key }.flatMap { name, type in
            type.shownFields.filter { $0.1.type.scalar == .reference && SystemField(rawValue: $0.0) == nil }.map {
                .referrers(name, $0.0, isList: $0.1.type.isList)
            }
        }
    }
}
