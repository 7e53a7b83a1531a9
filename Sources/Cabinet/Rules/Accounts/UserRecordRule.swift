import Foundation

/// The user's own record: every user has one in the public and one in the private database, from the beginning.
///
/// It is named by the account, is fetched by ID, and can be changed; it cannot be created, deleted or queried (CKContainer.h).
enum UserRecordRule {
    /// The type of users' own records.
    static let recordType = "Users"

    /// The error if a record pretends to be a user's.
    static func violation(saving record: Record, user: String) -> CabinetError? {
        guard record.recordType == recordType else { return nil }
        if record.recordID == RecordID(recordName: user) { return violation(ofReferencesIn: record) }
        return CabinetError(
            .permissionFailure,
            "Users records are made by the container, one for each user, and only the user may change it; the account is \(user).",
            recordID: record.recordID)
    }

    /// The error if a user's record would go with another.
    private static func violation(ofReferencesIn record: Record) -> CabinetError? {
        for (key, value) in zip(record.fields.names.names, record.fields.values) {
            let references: [Reference] =
                switch value {
                case .reference(let reference): [reference]
                case .list(.reference(let references)): references
                default: []
                }
            if references.contains(where: { $0.action == .deleteSelf }) {
                return CabinetError(
                    .invalidArguments,
                    "A user's own record is never deleted, so it cannot refer to another with the action 'deleteSelf'; use 'nullify'.",
                    recordID: record.recordID, fieldKey: key)
            }
        }
        return nil
    }

    /// The error if a record that is to be deleted is a user's.
    static func violation(deleting record: StoredRecord) -> CabinetError? {
        guard record.recordType == recordType else { return nil }
        return CabinetError(.permissionFailure, "A user's own record cannot be deleted.", recordID: record.recordID)
    }

    /// The error if users' records are queried.
    static func violation(querying recordType: Record.RecordType) -> CabinetError? {
        guard recordType == Self.recordType else { return nil }
        return CabinetError(
            .invalidArguments, "Users records cannot be queried; fetch the user's own record by its ID.")
    }

    /// The record of a user that has none yet, without a sequence number.
    static func newRecord(of user: String, now: Date) -> StoredRecord {
        StoredRecord(
            recordID: RecordID(recordName: user), recordType: recordType, sequenceNumber: 0, creationDate: now,
            creatorName: user, modificationDate: now, lastModifierName: user, fields: .empty)
    }

    /// Adds the type of users' records to what a plan adds to a schema, unless it is there.
    static func addType(
        to additions: inout [(recordType: Record.RecordType, fields: [StoredField])], _ schema: StoredSchema
    ) {
        guard schema.recordTypes[recordType] == nil, !additions.contains(where: { $0.recordType == recordType }) else {
            return
        }
        additions.insert((recordType, []), at: 0)
    }
}
