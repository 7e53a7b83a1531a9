extension SyncEngine {
    /// An event that an engine reports to its delegate.
    public enum Event: Sendable {
        /// The state has changed: store it.
        case stateUpdate(StateUpdate)
        /// The user has signed in or out.
        case accountChange(AccountChange)
        /// Zones have changed in the database.
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        /// Records have changed in a zone.
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        /// Zones were sent.
        case sentDatabaseChanges(SentDatabaseChanges)
        /// Records were sent.
        case sentRecordZoneChanges(SentRecordZoneChanges)
        /// A fetch begins.
        case willFetchChanges(WillFetchChanges)
        /// The fetch of a zone begins.
        case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
        /// The fetch of a zone has ended.
        case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
        /// A fetch has ended.
        case didFetchChanges(DidFetchChanges)
        /// A send begins.
        case willSendChanges(WillSendChanges)
        /// A send has ended.
        case didSendChanges(DidSendChanges)

        /// The new state.
        public struct StateUpdate: Sendable {
            /// The state to store.
            public let stateSerialization: State.Serialization
        }

        /// A change of the account.
        public struct AccountChange: Sendable {
            /// The kind of the change.
            public let changeType: ChangeType

            /// A kind of change.
            public enum ChangeType: Sendable, Hashable {
                /// A user has signed in.
                case signIn(currentUser: RecordID)
                /// The user has signed out.
                case signOut(previousUser: RecordID)
                /// Another user has signed in.
                case switchAccounts(previousUser: RecordID, currentUser: RecordID)
            }
        }

        /// Zones that have changed.
        public struct FetchedDatabaseChanges: Sendable {
            /// The zones with changes.
            public let modifications: [DatabaseChange.Modification]
            /// The zones that were deleted.
            public let deletions: [DatabaseChange.Deletion]
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
        }

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

            /// A zone that was not saved.
            public struct FailedZoneSave: Sendable {
                /// The zone.
                public let zone: RecordZone
                /// The reason.
                public let error: CabinetError
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

            /// A record that was not saved.
            public struct FailedRecordSave: Sendable {
                /// The record.
                public let record: Record
                /// The reason.
                public let error: CabinetError
            }
        }

        /// The beginning of a fetch.
        public struct WillFetchChanges: Sendable {
            /// The fetch.
            public let context: FetchChangesContext
        }

        /// The beginning of the fetch of a zone.
        public struct WillFetchRecordZoneChanges: Sendable {
            /// The zone.
            public let zoneID: RecordZone.ID
        }

        /// The end of the fetch of a zone.
        public struct DidFetchRecordZoneChanges: Sendable {
            /// The zone.
            public let zoneID: RecordZone.ID
            /// The failure, or `nil`.
            public let error: CabinetError?
        }

        /// The end of a fetch.
        public struct DidFetchChanges: Sendable {
            /// The fetch.
            public let context: FetchChangesContext
        }

        /// The beginning of a send.
        public struct WillSendChanges: Sendable {
            /// The send.
            public let context: SendChangesContext
        }

        /// The end of a send.
        public struct DidSendChanges: Sendable {
            /// The send.
            public let context: SendChangesContext
        }
    }
}
