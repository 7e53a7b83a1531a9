extension SyncEngine.Event {
    /// Zones that were sent.
    public struct SentDatabaseChanges: Sendable {
        /// The zones that were saved.
        public let savedZones: [RecordZone]
        /// The zones that were not saved.
        public let failedZoneSaves: [FailedZoneSave]
        /// The zones that were deleted.
        public let deletedZoneIDs: [RecordZone.ID]
        /// The errors of the zones that were not deleted.
        public let failedZoneDeletes: [RecordZone.ID: CabinetError]

        /// Creates an event, to test a delegate with.
        ///
        /// - Parameters:
        ///   - savedZones: The zones that were saved.
        ///   - failedZoneSaves: The zones that were not saved.
        ///   - deletedZoneIDs: The zones that were deleted.
        ///   - failedZoneDeletes: The errors of the zones that were not deleted.
        public init(
            savedZones: [RecordZone] = [], failedZoneSaves: [FailedZoneSave] = [], deletedZoneIDs: [RecordZone.ID] = [],
            failedZoneDeletes: [RecordZone.ID: CabinetError] = [:]
        ) {
            self.savedZones = savedZones
            self.failedZoneSaves = failedZoneSaves
            self.deletedZoneIDs = deletedZoneIDs
            self.failedZoneDeletes = failedZoneDeletes
        }

        /// A zone that was not saved.
        public struct FailedZoneSave: Sendable {
            /// The zone.
            public let zone: RecordZone
            /// The reason.
            public let error: CabinetError

            /// Creates a failure, to test a delegate with.
            ///
            /// - Parameters:
            ///   - zone: The zone.
            ///   - error: The reason.
            public init(zone: RecordZone, error: CabinetError) {
                self.zone = zone
                self.error = error
            }
        }
    }

    /// Records that were sent.
    public struct SentRecordZoneChanges: Sendable {
        /// The records that were saved.
        public let savedRecords: [Record]
        /// The records that were not saved.
        public let failedRecordSaves: [FailedRecordSave]
        /// The records that were deleted.
        public let deletedRecordIDs: [RecordID]
        /// The errors of the records that were not deleted.
        public let failedRecordDeletes: [RecordID: CabinetError]

        /// Creates an event, to test a delegate with.
        ///
        /// - Parameters:
        ///   - savedRecords: The records that were saved.
        ///   - failedRecordSaves: The records that were not saved.
        ///   - deletedRecordIDs: The records that were deleted.
        ///   - failedRecordDeletes: The errors of the records that were not deleted.
        public init(
            savedRecords: [Record] = [], failedRecordSaves: [FailedRecordSave] = [], deletedRecordIDs: [RecordID] = [],
            failedRecordDeletes: [RecordID: CabinetError] = [:]
        ) {
            self.savedRecords = savedRecords
            self.failedRecordSaves = failedRecordSaves
            self.deletedRecordIDs = deletedRecordIDs
            self.failedRecordDeletes = failedRecordDeletes
        }

        /// A record that was not saved.
        public struct FailedRecordSave: Sendable {
            /// The record.
            public let record: Record
            /// The reason.
            public let error: CabinetError

            /// Creates a failure, to test a delegate with.
            ///
            /// - Parameters:
            ///   - record: The record.
            ///   - error: The reason.
            public init(record: Record, error: CabinetError) {
                self.record = record
                self.error = error
            }
        }
    }
}
