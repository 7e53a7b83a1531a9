extension SyncEngine.Event {
    /// Zones that have changed.
    public struct FetchedDatabaseChanges: Sendable {
        /// The zones with changes.
        public let modifications: [DatabaseChange.Modification]
        /// The zones that were deleted.
        public let deletions: [DatabaseChange.Deletion]

        /// Creates an event, to test a delegate with.
        ///
        /// - Parameters:
        ///   - modifications: The zones with changes.
        ///   - deletions: The zones that were deleted.
        public init(modifications: [DatabaseChange.Modification] = [], deletions: [DatabaseChange.Deletion] = []) {
            self.modifications = modifications
            self.deletions = deletions
        }
    }

    /// Records that have changed.
    public struct FetchedRecordZoneChanges: Sendable {
        /// The zone of the records.
        public let zoneID: RecordZone.ID
        /// The records that were saved.
        public let modifications: [RecordZoneChange.Modification]
        /// The records that were deleted.
        public let deletions: [RecordZoneChange.Deletion]
        /// A Boolean value that indicates whether the zone is fetched from its beginning.
        ///
        /// It is `true` in the first event of a fetch without a token, or after the token has expired, even if the zone has no
        /// records. Records of the zone that no event reports until ``DidFetchRecordZoneChanges`` do not exist.
        public let isFromBeginning: Bool

        /// Creates an event, to test a delegate with.
        ///
        /// - Parameters:
        ///   - zoneID: The zone of the records.
        ///   - modifications: The records that were saved.
        ///   - deletions: The records that were deleted.
        ///   - isFromBeginning: Whether the zone is fetched from its beginning.
        public init(
            zoneID: RecordZone.ID, modifications: [RecordZoneChange.Modification] = [],
            deletions: [RecordZoneChange.Deletion] = [], isFromBeginning: Bool = false
        ) {
            self.zoneID = zoneID
            self.modifications = modifications
            self.deletions = deletions
            self.isFromBeginning = isFromBeginning
        }
    }
}
