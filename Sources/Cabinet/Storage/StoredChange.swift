/// The latest change of a record.
public enum StoredChange: Sendable, Hashable {
    /// The record was saved; this is its current state.
    case saved(StoredRecord)

    /// The record was deleted.
    case deleted(StoredDeletion)

    /// The sequence number of the change in its database.
    public var sequenceNumber: Int64 {
        switch self {
        case .saved(let record): record.sequenceNumber
        case .deleted(let deletion): deletion.sequenceNumber
        }
    }

    /// The ID of the changed record.
    public var recordID: RecordID {
        switch self {
        case .saved(let record): record.recordID
        case .deleted(let deletion): deletion.recordID
        }
    }

    /// The record, unless it was deleted.
    public var record: StoredRecord? {
        if case .saved(let record) = self { record } else { nil }
    }
}

/// The part of a zone's changes to read.
public enum ChangeContent: Sendable, Hashable {
    /// Saved records with the fields that are named, or with all if `nil`, and deletions.
    case all(fields: [Record.FieldKey]?)

    /// Deletions only.
    case deletions
}
