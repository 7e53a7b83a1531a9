import Cabinet

/// The names of system fields, in filters and sort keys.
enum CloudKitFieldName {
    private static let systemFields: [String: SystemField] = [
        "recordName": .recordID, "___recordID": .recordID,
        "createdTimestamp": .creationDate, "___createTime": .creationDate,
        "modifiedTimestamp": .modificationDate, "___modTime": .modificationDate,
        "createdUserRecordName": .creatorUserRecordID, "___createdBy": .creatorUserRecordID,
        "modifiedUserRecordName": .lastModifiedUserRecordID, "___modifiedBy": .lastModifiedUserRecordID,
        "parent": .parent, "___parent": .parent,
    ]

    /// Reads the field of a filter or a sort key.
    ///
    /// System fields have names of their own in `systemFieldName`, and others in `fieldName`. Clients mix them, so that a
    /// `fieldName` can be a system field unless the record type has a field of that name.
    ///
    /// - Parameter fields: The types of the fields of the record type.
    /// - Returns: The field's name; `nil` if the object names none.
    static func read(
        _ node: JSONNode, fields: [Record.FieldKey: FieldType]
    ) throws(CabinetError) -> Record.FieldKey? {
        if let system = node["systemFieldName"] {
            guard let field = systemFields[try system.string()] else {
                throw system.error(expected: "a system field, such as createdTimestamp")
            }
            return field.rawValue
        }
        guard let name = try node["fieldName"]?.string() else { return nil }
        return fields[name] == nil ? systemFields[name]?.rawValue ?? name : name
    }

    /// The member that names a field.
    ///
    /// - Returns: `fieldName` with the field's name, or `___recordID` and the like for a system field.
    static func name(of key: Record.FieldKey) -> String {
        guard let field = SystemField(rawValue: key) else { return key }
        return switch field {
        case .recordID: "___recordID"
        case .creationDate: "___createTime"
        case .modificationDate: "___modTime"
        case .creatorUserRecordID: "___createdBy"
        case .lastModifiedUserRecordID: "___modifiedBy"
        case .parent: "___parent"
        }
    }
}
