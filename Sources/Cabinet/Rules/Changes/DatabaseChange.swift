/// The changes of a database: its zones that were changed or deleted.
///
/// ``Database/databaseChanges(since:resultsLimit:)`` returns them.
public enum DatabaseChange: Sendable, Hashable {
    /// A zone that was saved, or whose records were saved or deleted.
    public struct Modification: Sendable, Hashable {
        /// The zone's ID.
        public let zoneID: RecordZone.ID

        /// Creates a change, to test a program's handler with.
        ///
        /// - Parameter zoneID: The zone's ID.
        public init(zoneID: RecordZone.ID) {
            self.zoneID = zoneID
        }
    }

    /// A zone that was deleted with all its records.
    public struct Deletion: Sendable, Hashable {
        /// The zone's ID.
        public let zoneID: RecordZone.ID

        /// The reason of the deletion.
        public let reason: Reason

        /// Creates a deletion, to test a program's handler with.
        ///
        /// - Parameters:
        ///   - zoneID: The zone's ID.
        ///   - reason: The reason of the deletion.
        public init(zoneID: RecordZone.ID, reason: Reason = .deleted) {
            self.zoneID = zoneID
            self.reason = reason
        }

        /// The reason why a zone was deleted.
        public enum Reason: Int, Sendable, Hashable, CaseIterable {
            /// A user has deleted the zone.
            case deleted
            /// The user has purged the zone's data: do not upload its records again. Cabinet's own stores never report this.
            case purged
            /// The keys of the zone's encrypted values are lost: delete the zone, save it again, and upload its records.
            case encryptedDataReset
        }
    }
}
