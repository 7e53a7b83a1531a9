package import Cabinet

extension Schema.RecordType {
    /// The fields that a schema declares, by name, without system fields that have no index.
    package var shownFields: [(String, Schema.Field)] {
        fields.filter { SystemField(rawValue: $0.key) == nil || !$0.value.options.isEmpty }
            .map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// The fields to show in a list, without bytes and files.
    ///
    /// Fields with an order come first, and lists last.
    package var columns: [String] {
        let shown = fields.filter {
            SystemField(rawValue: $0.key) == nil && ![.bytes, .asset].contains($0.value.type.scalar)
        }
        func rank(_ field: Schema.Field) -> Int { field.type.isList ? 2 : field.options.contains(.sortable) ? 0 : 1 }
        return shown.sorted { (rank($0.value), $0.key) < (rank($1.value), $1.key) }.map(\.key)
    }
}

extension Schema {
    /// A field that can refer to records, or the parent of a type's records.
    package struct ReferringField: Sendable, Hashable {
        package let recordType: Record.RecordType
        package let key: Record.FieldKey
        package let isList: Bool
    }

    /// The names of the record types that people see.
    package var shownTypes: [Record.RecordType] { recordTypes.keys.filter { $0 != "Users" }.sorted() }

    /// The fields of all types that can refer to a record, and the parents of their records.
    package var referringFields: [ReferringField] {
        shownTypes.flatMap { name in
            let fields = self[name].shownFields.filter {
                $0.1.type.scalar == .reference && SystemField(rawValue: $0.0) == nil
            }
            return fields.map { ReferringField(recordType: name, key: $0.0, isList: $0.1.type.isList) }
                + [ReferringField(recordType: name, key: SystemField.parent.rawValue, isList: false)]
        }
    }
}
