/// The system values of every record, by the names that filters and sort keys use.
public enum SystemField: String, Sendable, Hashable, CaseIterable {
    /// The record's ID; compares with references, by record name.
    case recordID
    /// The date on which the record was first saved.
    case creationDate
    /// The date on which the record was last saved.
    case modificationDate
    /// The user who first saved the record; compares with references to user records.
    case creatorUserRecordID
    /// The user who last saved the record; compares with references to user records.
    case lastModifiedUserRecordID
    /// The record's parent; compares with references.
    case parent

    /// The type of the field's values.
    public var fieldType: FieldType {
        switch self {
        case .creationDate, .modificationDate: .timestamp
        case .recordID, .creatorUserRecordID, .lastModifiedUserRecordID, .parent: .reference
        }
    }
}

extension StoredRecord {
    /// The value of a system field; IDs are references without a rule.
    public subscript(field: SystemField) -> FieldValue? {
        func reference(_ name: String, zoneID: RecordZone.ID = .default) -> FieldValue {
            .reference(Reference(recordID: RecordID(recordName: name, zoneID: zoneID), action: .none))
        }
        return switch field {
        case .recordID: .reference(Reference(recordID: recordID, action: .none))
        case .creationDate: .timestamp(creationDate)
        case .modificationDate: .timestamp(modificationDate)
        case .creatorUserRecordID: reference(creatorName)
        case .lastModifiedUserRecordID: reference(lastModifierName)
        case .parent: parentName.map { reference($0, zoneID: recordID.zoneID) }
        }
    }

    /// Returns the value of a field or a system field, such as a ``Sort`` or a ``StoredIndex`` names.
    ///
    /// - Parameter key: The name of the field.
    /// - Returns: The value; `nil` if the record has none in the field.
    public func value(forKey key: Record.FieldKey) -> FieldValue? {
        if let field = SystemField(rawValue: key) { return self[field] }
        return fields[key]
    }
}
