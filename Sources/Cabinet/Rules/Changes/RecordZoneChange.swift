/// What happened to a record.
public enum RecordZoneChange: Sendable, Hashable {
    /// A record was saved.
    public struct Modification: Sendable, Hashable {
        /// The record as it is now, whatever happened to it in between.
        public let record: Record

        /// Creates a change, to test a program's handler with.
        public init(record: Record) {
            self.record = record
        }
    }

    /// A record was deleted.
    public struct Deletion: Sendable, Hashable {
        /// The record's ID.
        public let recordID: RecordID

        /// The type that the record was of.
        public let recordType: Record.RecordType

        /// Creates a deletion, to test a program's handler with.
        public init(recordID: RecordID, recordType: Record.RecordType) {
            self.recordID = recordID
            self.recordType = recordType
        }
    }
}
