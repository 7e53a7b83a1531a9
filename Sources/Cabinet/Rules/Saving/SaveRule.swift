import Foundation

/// The rule by which a save policy merges the client's record and the server's.
///
/// The table in CKModifyRecordsOperation.h, with CloudKit's error codes:
///
/// | | the server has no such record | the server has the record |
/// |---|---|---|
/// | `ifServerRecordUnchanged` | a new record is created; one with a tag is an `unknownItem` | the tags must be equal, or `serverRecordChanged` |
/// | `changedKeys` | a new record is created; one with a tag is an `unknownItem` | the changed keys are merged in |
/// | `allKeys` | the record is created | all keys of the client are merged in |
struct SaveRule: Sendable {
    let policy: RecordSavePolicy
    let database: DatabaseKey
    let user: String
    let now: Date
    /// The permissions of the user.
    var permissions: PermissionRule
    /// The kind of change to the shares among the records.
    var shareChange = ShareChange.save(ShareShortGUIDs())

    init(
        policy: RecordSavePolicy, database: DatabaseKey, user: String, now: Date, roles: Set<String> = [],
        rules: SchemaRules = SchemaRules()
    ) {
        self.policy = policy
        self.database = database
        self.user = user
        self.now = now
        permissions = PermissionRule(database, user: user, roles: roles, rules: rules)
    }

    /// Returns the record that the server will have, without a sequence number.
    ///
    /// - Parameters:
    ///   - client: The client's record.
    ///   - server: The server's record, if it has one.
    ///   - previous: Another record that the server will have. A new record shares equal parts with it, to save memory.
    func merge(
        _ client: Record, into server: StoredRecord?, beside previous: StoredRecord? = nil
    ) throws(CabinetError) -> StoredRecord {
        guard let server else { return try create(client, beside: previous) }
        // A conflict, and the saved record, have all fields of the server's record.
        if let violation = permissions.violation(of: .read, for: server) { throw violation }
        if policy == .ifServerRecordUnchanged, !client.hasChangeTag { throw conflict(client, server) }
        if let violation = permissions.violation(of: .write, for: server) { throw violation }
        if policy == .ifServerRecordUnchanged, !client.hasChangeTag(of: server) {
            throw conflict(client, server)
        }
        if server.recordType != client.recordType {
            if permissions.rules.types[client.recordType]?.newName == server.recordType,
                var violation = FormerNameRule(permissions.rules).violation(of: client.recordType)
            {
                violation.message += " Fetch the record again."
                throw violation
            }
            throw CabinetError(
                .invalidArguments,
                "The record's type is \(server.recordType) and cannot become \(client.recordType); save it under another ID.",
                recordID: client.recordID)
        }

        let fetched = client.fetched
        var merged = server
        merge(client, fetched, into: &merged.fields)
        if sendsParent(client, fetched) { merged.parentName = client.parent?.recordID.recordName }
        merged.modificationDate = now
        merged.lastModifierName = user
        return merged
    }

    /// Whether the client's parent replaces the server's; otherwise a parent that only the server has is kept, as for a field.
    private func sendsParent(_ client: Record, _ fetched: Record.Fetched?) -> Bool {
        policy == .allKeys && client.parent != nil || client.parent != fetched?.parent
    }

    /// Returns the name of the parent that a record will have.
    func parentName(of client: Record, replacing server: StoredRecord?) -> String? {
        guard let server, !sendsParent(client, client.fetched) else { return client.parent?.recordID.recordName }
        return server.parentName
    }

    private func create(_ client: Record, beside previous: StoredRecord?) throws(CabinetError) -> StoredRecord {
        if client.hasChangeTag, policy != .allKeys {
            throw CabinetError(
                .unknownItem,
                "The record was deleted since it was fetched. Save it without its change tag, or with the policy allKeys, to recreate it.",
                recordID: client.recordID)
        }
        if let violation = permissions.violation(of: .create, on: client.recordType, recordID: client.recordID) {
            throw violation
        }
        return StoredRecord(
            recordID: client.recordID, sequenceNumber: 0, insertionNumber: 0, creationDate: now, modificationDate: now,
            attribution: .of(
                client.recordType, savedBy: user, parentName: client.parent?.recordID.recordName,
                beside: previous?.attribution),
            fields: client.fields.normalized)
    }

    /// Merges the fields that the client has changed or, with the policy `allKeys`, all its fields.
    private func merge(_ client: Record, _ fetched: Record.Fetched?, into fields: inout FieldValues) {
        let own = client.fields
        let names = own.names
        let base = fetched?.fields
        let sharesNames = fields.names === names && base?.names === names
        for position in names.names.indices {
            let value = own.values[position]
            let isSent =
                if let base {
                    own.isChanged(at: position, since: base) || policy == .allKeys && value != nil
                } else {
                    true
                }
            guard isSent else { continue }
            if sharesNames {
                fields.set(value?.normalized, at: position)
            } else {
                fields[names.names[position]] = value?.normalized
            }
        }
    }

    private func conflict(_ client: Record, _ server: StoredRecord) -> CabinetError {
        let isOwn = server.lastModifierName.hasSameScalars(as: user)
        return CabinetError(
            .serverRecordChanged, Self.conflictMessage(isNew: !client.hasChangeTag, isOwn: isOwn),
            recordID: client.recordID,
            conflict: RecordConflict(
                clientRecord: client, serverRecord: Record(server), ancestorRecord: client.ancestor))
    }

    /// Returns the message of a conflict.
    ///
    /// - Parameters:
    ///   - isNew: Whether the client's record has no change tag.
    ///   - isOwn: Whether the same user saved the server's record.
    private static func conflictMessage(isNew: Bool, isOwn: Bool) -> String {
        let advice =
            "If this program saved it, keep the record that save returns, with its new change tag: "
            + "record = try await database.save(record)."
        return switch (isNew, isOwn) {
        case (true, true):
            "A record with this ID exists already, and this user saved it last. \(advice) "
                + "Otherwise fetch it and change it, or save under another ID."
        case (true, false):
            "A record with this ID exists already. Fetch it and change it, or save under another ID."
        case (false, true):
            "This user has saved the record since it was fetched, here or on another device. \(advice) "
                + "Otherwise merge the changes into the error's server record, and save that."
        case (false, false):
            "Another user has saved the record since it was fetched. Merge the changes into the error's server "
                + "record, and save that."
        }
    }
}

extension StoredRecord.Attribution {
    /// Returns the attribution of the previous record if it is equal, so that both share it.
    fileprivate static func of(
        _ recordType: Record.RecordType, savedBy user: String, parentName: String?,
        beside previous: StoredRecord.Attribution?
    ) -> StoredRecord.Attribution {
        if let previous, previous.recordType == recordType, previous.creatorName == user,
            previous.lastModifierName == user, previous.parentName == parentName
        {
            return previous
        }
        return StoredRecord.Attribution(
            recordType: recordType, creatorName: user, lastModifierName: user, parentName: parentName)
    }
}

/// The policy by which a save compares versions and merges fields.
///
/// Fields that only the server has keep their values under every policy. <doc:Conflicts> shows what each policy does with
/// the changes of two clients.
public enum RecordSavePolicy: Int, Sendable, Hashable, Codable, CaseIterable {
    /// Saves the changed keys, if the server still has the version that the client fetched; otherwise fails with
    /// ``CabinetError/Code/serverRecordChanged``. A record that the client never fetched must be new.
    case ifServerRecordUnchanged = 0

    /// Saves the changed keys over any version that the server has.
    case changedKeys = 1

    /// Saves all keys of the client over any version that the server has, and recreates a deleted record.
    case allKeys = 2
}
