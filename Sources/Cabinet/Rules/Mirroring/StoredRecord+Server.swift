import Foundation

/// The version of a mirrored record that the server has.
///
/// A record that a mirror has fetched or sent has the server's change tag in a hidden field, which every local save keeps. So the first
/// local edit knows the version that it is based on, and nothing else is stored for a record that has no edit.
extension StoredRecord {
    /// The hidden field with the server's change tag.
    static let serverTagKey = "_server"

    /// The server's change tag of the version that the record was equal to last; `nil` if the server never had the record.
    var serverTag: String? {
        // Most lists of names have no hidden field.
        guard fieldNames.visible != nil, case .string(let tag)? = fields[Self.serverTagKey] else { return nil }
        return tag
    }

    /// Creates the local copy of a server's record.
    ///
    /// - Parameters:
    ///   - server: The server's record.
    ///   - old: The local record that it replaces.
    ///   - date: The date of the change, for a server that sends none.
    ///   - user: The name of the user, for a server that sends none.
    init(copying server: Record, replacing old: StoredRecord?, date: Date, user: String) {
        // A store has no parts of records: a value that the server could not send has none here.
        let visible = server.fields.visible
        var fields = FieldValues(names: visible.names, values: visible.values)
        fields[Self.serverTagKey] = server.recordChangeTag.map(FieldValue.string)
        self.init(
            recordID: server.recordID, recordType: server.recordType, sequenceNumber: 0,
            insertionNumber: old?.insertionNumber ?? 0, creationDate: server.creationDate ?? date,
            creatorName: server.creatorUserRecordID?.recordName ?? user,
            modificationDate: server.modificationDate ?? date,
            lastModifierName: server.lastModifiedUserRecordID?.recordName ?? user,
            parentName: server.parent?.recordID.recordName, fields: fields)
    }

    /// The server's version that a local record without an edit is equal to; `nil` if the server never had the record.
    var serverVersion: Record? { serverTag == nil ? nil : ownVersion }

    /// The local record with the server's change tag, from which ``init(copying:replacing:date:user:)`` creates it again.
    var ownVersion: Record {
        var header = Record.Header(visible)
        header.recordChangeTag = serverTag
        let fields = fields.visible
        return Record(header: header, fields: fields, fetched: Record.Fetched(fields: fields, parent: header.parent))
    }

    /// Whether a user sees the same content in another record: type, fields and parent.
    func hasContent(of other: StoredRecord) -> Bool {
        guard recordType == other.recordType, parentName == other.parentName else { return false }
        return fields.hasVisibleValues(of: other.fields)
    }

    /// Whether a user sees the same content in a server's record: type, fields and parent.
    func hasContent(of server: Record) -> Bool {
        guard recordType == server.recordType, parentName == server.parent?.recordID.recordName else { return false }
        return fields.hasVisibleValues(of: server.fields)
    }
}

extension FieldValues {
    /// Whether the fields that clients see have the same values as others; a number equals the same number of another type.
    func hasVisibleValues(of other: FieldValues) -> Bool {
        for (position, name) in names.names.enumerated() where !FieldNames.isHidden(name) {
            let value = names === other.names ? other.values[position] : other[name]
            if !FieldValue.isSame(values[position], value) { return false }
        }
        if names === other.names { return true }
        // The other fields were compared above.
        return zip(other.names.names, other.values).allSatisfy { name, value in
            value == nil || FieldNames.isHidden(name) || names.position(of: name) != nil
        }
    }
}
