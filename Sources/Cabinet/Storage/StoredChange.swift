public import Foundation

/// The deletion of a record, remembered for those who have not heard of it.
public struct StoredDeletion: Sendable, Hashable, Codable {
    /// The ID of the record that is gone.
    public let recordID: RecordID

    /// The type that the record was of.
    public let recordType: Record.RecordType

    /// The number of the deletion among the changes of its database.
    public let sequenceNumber: Int64

    /// When the record was deleted.
    public let date: Date

    /// Creates a deletion.
    public init(recordID: RecordID, recordType: Record.RecordType, sequenceNumber: Int64, date: Date) {
        self.recordID = recordID
        self.recordType = recordType
        self.sequenceNumber = sequenceNumber
        self.date = date
    }
}

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

/// The last thing that happened in or to a zone.
public enum StoredZoneChange: Sendable, Hashable {
    /// It was saved, or a record in it was saved or deleted.
    case changed(StoredZone)

    /// It was deleted; maybe another zone was saved under its ID since.
    case deleted(RecordZone.ID, sequenceNumber: Int64)

    /// The number of the change among those of its database.
    public var sequenceNumber: Int64 {
        switch self {
        case .changed(let zone): zone.changeNumber
        case .deleted(_, let number): number
        }
    }
}
