/// The last thing that happened to a record.
public enum StoredChange: Sendable, Hashable {
    /// It was saved; this is how it is now.
    case saved(StoredRecord)

    /// It was deleted.
    case deleted(StoredDeletion)

    /// The number of the change among those of its database.
    public var sequenceNumber: Int64 {
        switch self {
        case .saved(let record): record.sequenceNumber
        case .deleted(let deletion): deletion.sequenceNumber
        }
    }

    /// The ID of the record that has changed.
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
