import Cabinet
import CabinetTools

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
        referringFields.map { .referrers($0.recordType, $0.key, isList: $0.isList) }
    }
}
