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
