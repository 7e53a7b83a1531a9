import Cabinet

extension CKDatabase {
    /// A change of a zone, as a database reports it.
    public enum DatabaseChange {
        /// A zone in which something has changed.
        public struct Modification: Sendable, Hashable {
            /// The zone's ID.
            public let zoneID: CKRecordZone.ID
        }

        /// A zone that was deleted.
        public struct Deletion: Sendable, Hashable {
            /// The zone's ID.
            public let zoneID: CKRecordZone.ID

            /// The reason of the deletion.
            public let reason: Reason

            /// Whether the user has purged the zone's data.
            public var purged: Bool { reason == .purged }

            /// The reasons why a zone is deleted.
            public enum Reason: Sendable, Hashable {
                /// A program has deleted the zone.
                case deleted
                /// The user has purged the data: do not upload it again.
                case purged
                /// The user has reset the encrypted data: upload it again.
                case encryptedDataReset
            }

            init(_ deletion: Cabinet.DatabaseChange.Deletion) {
                zoneID = CKRecordZone.ID(deletion.zoneID)
                reason =
                    switch deletion.reason {
                    case .deleted: .deleted
                    case .purged: .purged
                    case .encryptedDataReset: .encryptedDataReset
                    }
            }
        }
    }

    /// A change of a record, as a zone reports it.
    public enum RecordZoneChange {
        /// A record that was saved.
        public struct Modification: Sendable, Hashable {
            /// The record in its current version.
            public let record: CKRecord
        }

        /// A record that was deleted.
        public struct Deletion: Sendable, Hashable {
            /// The record's ID.
            public let recordID: CKRecord.ID

            /// The record's type.
            public let recordType: CKRecord.RecordType
        }
    }
}
