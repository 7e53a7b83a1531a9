import Cabinet

/// A line of a record's screen.
enum RecordRow: Sendable, Hashable {
    /// A value that the store assigns, such as a date.
    case system(String)
    case parent
    case field(String)
    /// A reference in a list.
    case element(String, Int)
    /// The records of a type that refer to the record with a field, or as their parent.
    case referrers(Record.RecordType, String, isList: Bool)
}

extension Schema {
    /// The fields of all types that can refer to a record, and the parents of their records.
    var referenceFields: [RecordRow] {
        recordTypes.filter { $0.key != "Users" }.sorted { $0.key < $1.key }.flatMap { name, type in
            let fields = type.shownFields.filter {
                $0.1.type.scalar == .reference && SystemField(rawValue: $0.0) == nil
            }
            return fields.map { RecordRow.referrers(name, $0.0, isList: $0.1.type.isList) }
                + [.referrers(name, SystemField.parent.rawValue, isList: false)]
        }
    }
}
