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
