/// A key to sort a query's records by.
///
/// Nil comes first when ascending, last when descending. Text is ordered by Unicode scalars, references by record name,
/// bytes byte by byte. Records whose keys are all equal are ordered by record name, always ascending.
public struct Sort: Sendable, Hashable, Codable {
    /// The field, or system field, to sort by.
    public let key: Record.FieldKey

    /// Whether smaller values come first.
    public let ascending: Bool

    /// Creates a sort key.
    ///
    /// - Parameters:
    ///   - key: A field of the queried type, or a system field such as `creationDate`.
    ///   - ascending: Whether smaller values come first.
    public init(_ key: Record.FieldKey, ascending: Bool = true) {
        self.key = key
        self.ascending = ascending
    }
}

extension Sort {
    /// Checks that records can be sorted by the key.
    ///
    /// - Parameter fields: The fields of the record type; a field that is not among them is `nil` in every record.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field's values have no order: lists, locations and
    ///   assets.
    public func validate(fields: [Record.FieldKey: FieldType]) throws {
        func error(_ complaint: String) -> CabinetError {
            CabinetError(.invalidArguments, complaint, fieldKey: key)
        }
        if key.utf8.contains(UInt8(ascii: ".")) {
            throw error("Sorting by key paths such as '\(key)' is not supported by this version.")
        }
        guard SystemField(rawValue: key) == nil, let type = fields[key] else { return }
        if type.isList || type.scalar == .location || type.scalar == .asset {
            throw error(
                "Records cannot be sorted by '\(key)', because \(type) values have no order. "
                    + "Expected a field of text, numbers, dates, bytes or references."
            )
        }
    }
}
