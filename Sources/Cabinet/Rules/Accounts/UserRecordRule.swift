import Foundation

/// The rules of users' own records, which every user has in the public and in the private database.
///
/// The account names the record. It can be fetched by ID and changed, but not created, deleted or queried (CKContainer.h).
enum UserRecordRule {
    /// The type of users' own records.
    static let recordType = "Users"

    /// Returns the error if a record claims to be a user's.
    static func violation(saving record: Record, user: String) -> CabinetError? {
        guard record.recordType == recordType else { return nil }
        if record.recordID == RecordID(recordName: user) { return violation(ofReferencesIn: record) }
        return CabinetError(
            .permissionFailure,
            "The container creates one Users record for each user, and only the user may change it; the account is \(user).",
            recordID: record.recordID)
    }

    /// Returns the error if a user's record would be deleted with another one.
    private static func violation(ofReferencesIn record: Record) -> CabinetError? {
        for (key, value) in zip(record.fields.names.names, record.fields.values) {
            if value.references.contains(where: { $0.action == .deleteSelf }) {
                return CabinetError(
                    .invalidArguments,
                    "A user's own record is never deleted, so it cannot refer to another with the action 'deleteSelf'; use 'nullify'.",
                    recordID: record.recordID, fieldKey: key)
            }
        }
        return nil
    }

    /// Returns the error if a record to delete is a user's.
    static func violation(deleting record: StoredRecord) -> CabinetError? {
        guard record.recordType == recordType else { return nil }
        return CabinetError(.permissionFailure, "A user's own record cannot be deleted.", recordID: record.recordID)
    }

    /// Returns the error if a query selects users' records.
    static func violation(querying recordType: Record.RecordType) -> CabinetError? {
        guard recordType == Self.recordType else { return nil }
        return CabinetError(
            .invalidArguments, "Users records cannot be queried; fetch the user's own record by its ID.")
    }

    /// Returns the first record of a user, without a sequence number.
    static func newRecord(of user: String, now: Date) -> StoredRecord {
        StoredRecord(
            recordID: RecordID(recordName: user), recordType: recordType, sequenceNumber: 0, creationDate: now,
            creatorName: user, modificationDate: now, lastModifierName: user, fields: .empty)
    }

    /// Adds the type of users' records to the additions of a plan, unless the schema has it.
    static func addType(
        to additions: inout [(recordType: Record.RecordType, fields: [StoredField])], _ schema: StoredSchema
    ) {
        guard schema.recordTypes[recordType] == nil, !additions.contains(where: { $0.recordType == recordType }) else {
            return
        }
        additions.insert((recordType, []), at: 0)
    }
}
