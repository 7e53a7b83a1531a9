public import Foundation

/// The tombstone of a deleted record, from which clients learn of the deletion.
public struct StoredDeletion: Sendable, Hashable, Codable {
    /// The ID of the deleted record.
    public let recordID: RecordID

    /// The type of the deleted record.
    public let recordType: Record.RecordType

    /// The sequence number of the deletion in its database.
    public let sequenceNumber: Int64

    /// The date of the deletion.
    public let date: Date

    /// Creates a deletion.
    ///
    /// - Parameters:
    ///   - recordID: The ID of the deleted record.
    ///   - recordType: The type of the deleted record.
    ///   - sequenceNumber: The sequence number of the deletion in its database.
    ///   - date: The date of the deletion.
    public init(recordID: RecordID, recordType: Record.RecordType, sequenceNumber: Int64, date: Date) {
        self.recordID = recordID
        self.recordType = recordType
        self.sequenceNumber = sequenceNumber
        self.date = date
    }
}
