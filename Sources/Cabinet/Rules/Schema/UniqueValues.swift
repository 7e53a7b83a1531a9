/// The values of a record in fields that the schema declares unique.
package struct UniqueValues: Sendable, Hashable {
    let recordType: Record.RecordType
    let keys: [Record.FieldKey]
    let values: [FieldValue]

    /// Reads the values of a record; `nil` if one of them is nil.
    package init?(_ record: StoredRecord, _ keys: [Record.FieldKey]) {
        var values: [FieldValue] = []
        for key in keys {
            guard let value = record.value(forKey: key) else { return nil }
            guard case .reference(let reference) = value else {
                values.append(value)
                continue
            }
            // References to one record are equal, even with different actions.
            values.append(.reference(Reference(recordID: reference.recordID, action: .none)))
        }
        recordType = record.recordType
        self.keys = keys
        self.values = values
    }

    /// Returns the values of a record in each list of unique fields.
    static func all(of record: StoredRecord, _ rules: SchemaRules) -> [UniqueValues] {
        guard let keys = rules.types[record.recordType]?.uniqueKeys, !keys.isEmpty else { return [] }
        return keys.sortedByNames.compactMap { UniqueValues(record, $0) }
    }
}

extension UniqueValues: CustomStringConvertible {
    /// The fields with their values: `name = "Milk"`.
    package var description: String {
        zip(keys, values).map { "\($0) = \($1.description(upTo: 60))" }.joined(separator: ", ")
    }
}
