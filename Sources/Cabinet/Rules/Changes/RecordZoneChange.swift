/// The changes of a zone: its records that were saved or deleted.
///
/// ``Database/recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)`` returns them. <doc:TwoDevices> shows how to
/// apply them to a local copy.
public enum RecordZoneChange: Sendable, Hashable {
    /// A record that was saved.
    public struct Modification: Sendable, Hashable {
        /// The current version of the record, which may combine several saves.
        public let record: Record

        /// Creates a change, to test a program's handler with.
        ///
        /// - Parameter record: The current record.
        public init(record: Record) {
            self.record = record
        }
    }

    /// A record that was deleted.
    public struct Deletion: Sendable, Hashable {
        /// The record's ID.
        public let recordID: RecordID

        /// The type of the deleted record.
        public let recordType: Record.RecordType

        /// Creates a deletion, to test a program's handler with.
        ///
        /// - Parameters:
        ///   - recordID: The record's ID.
        ///   - recordType: The type of the deleted record.
        public init(recordID: RecordID, recordType: Record.RecordType) {
            self.recordID = recordID
            self.recordType = recordType
        }
    }
}

extension Result where Success == RecordZoneChange.Modification, Failure == CabinetError {
    /// The record that was saved; `nil` if the item failed.
    public var record: Record? { try? get().record }
}
