extension FieldTypes {
    /// Returns the types of the fields of a record type, as far as they are known.
    package func types(of recordType: Record.RecordType) -> FieldTypes {
        guard let recordTypes else { return [:] }
        return FieldTypes(of: recordType, in: StoredSchema(recordTypes: recordTypes, indexes: indexes))
    }

    /// Returns the reason why records of a type cannot refer to others in a field, or `nil` if they can.
    ///
    /// A type or a field that does not exist, as before the first save, has no references.
    func refusal(ofReferencesFrom recordType: Record.RecordType, by field: Record.FieldKey) -> String? {
        let shown = "'\(field)' of \(recordType)"
        if FieldPath.isLong(field) {
            return "SUBQUERY takes a record type and one field, as in Items.list; \(shown) is a key path."
        }
        if let systemField = SystemField(rawValue: field) {
            return systemField == .parent
                ? nil : "SUBQUERY takes a field with references, or parent; \(shown) is neither."
        }
        guard let type = recordTypes?[recordType]?[field], type.scalar != .reference else { return nil }
        return "SUBQUERY counts records by the references in a field; \(shown) is of type \(type)."
    }

    /// Returns the type of the field by which records of a type refer to others; `nil` if there is none.
    package func typeOfReferences(from recordType: Record.RecordType, by field: Record.FieldKey) -> FieldType? {
        if field == SystemField.parent.rawValue { return .reference }
        return recordTypes?[recordType]?[field]
    }
}

extension Filter {
    /// Checks the filter of counted records.
    ///
    /// - Parameter fields: The types of their fields, or none if they are not known.
    func validateReferring(in fields: FieldTypes) throws(CabinetError) {
        try forEachComparison { comparison throws(CabinetError) in try comparison.validate(fields: fields) }
    }
}
