/// What happened to a zone.
public enum DatabaseChange: Sendable, Hashable {
    /// A zone was saved, or records in it were saved or deleted.
    public struct Modification: Sendable, Hashable {
        /// The zone's ID.
        public let zoneID: RecordZone.ID

        /// Creates a change, to test a program's handler with.
        public init(zoneID: RecordZone.ID) {
            self.zoneID = zoneID
        }
    }

    /// A zone was deleted with all its records.
    public struct Deletion: Sendable, Hashable {
        /// The zone's ID.
        public let zoneID: RecordZone.ID

        /// Why the zone is gone.
        public let reason: Reason

        /// Creates a deletion, to test a program's handler with.
        public init(zoneID: RecordZone.ID, reason: Reason = .deleted) {
            self.zoneID = zoneID
            self.reason = reason
        }

        /// Why a zone is gone.
        public enum Reason: Int, Sendable, Hashable, CaseIterable {
            /// Someone has deleted it.
            case deleted
            /// The user has wiped it: do not upload its records again. Cabinet's own stores never say so.
            case purged
            /// Its encrypted data was reset: upload its records again. Cabinet's own stores never say so.
            case encryptedDataReset
        }
    }
}

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
