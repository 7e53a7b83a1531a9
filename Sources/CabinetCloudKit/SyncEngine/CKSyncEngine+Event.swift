extension CKSyncEngine {
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
            public enum ChangeType: Sendable, Equatable {
                /// A user has signed in.
                case signIn(currentUser: CKRecord.ID)
                /// The user has signed out.
                case signOut(previousUser: CKRecord.ID)
                /// Another user has signed in.
                case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
            }
        }

        /// Zones that have changed.
        public struct FetchedDatabaseChanges: Sendable {
            /// The zones with changes.
            public let modifications: [CKDatabase.DatabaseChange.Modification]
            /// The zones that were deleted.
            public let deletions: [CKDatabase.DatabaseChange.Deletion]
        }

        /// Records that have changed.
        ///
        /// After a token has expired, after a first send whose answer was lost, or if a zone was deleted and created again,
        /// these are all records of the zone. Neither the event nor CloudKit says so, and deletions that the engine has not
        /// fetched are missing. Cabinet's own `SyncEngine` reports it with `isFromBeginning`.
        public struct FetchedRecordZoneChanges: Sendable {
            /// The records that were saved.
            public let modifications: [CKDatabase.RecordZoneChange.Modification]
            /// The records that were deleted.
            public let deletions: [CKDatabase.RecordZoneChange.Deletion]
        }

        /// Zones that were sent.
        public struct SentDatabaseChanges: Sendable {
            /// The zones that were saved.
            public let savedZones: [CKRecordZone]
            /// The zones that were not saved.
            public let failedZoneSaves: [FailedZoneSave]
            /// The zones that were deleted.
            public let deletedZoneIDs: [CKRecordZone.ID]
            /// The errors of the zones that were not deleted.
            public let failedZoneDeletes: [CKRecordZone.ID: CKError]

            /// A zone that was not saved.
            public struct FailedZoneSave: Sendable {
                /// The zone.
                public let zone: CKRecordZone
                /// The reason.
                public let error: CKError
            }
        }

        /// Records that were sent.
        public struct SentRecordZoneChanges: Sendable {
            /// The records that were saved.
            public let savedRecords: [CKRecord]
            /// The records that were not saved.
            public let failedRecordSaves: [FailedRecordSave]
            /// The records that were deleted.
            public let deletedRecordIDs: [CKRecord.ID]
            /// The errors of the records that were not deleted.
            public let failedRecordDeletes: [CKRecord.ID: CKError]

            /// A record that was not saved.
            public struct FailedRecordSave: Sendable {
                /// The record.
                public let record: CKRecord
                /// The reason.
                public let error: CKError
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
            public let zoneID: CKRecordZone.ID
        }

        /// The end of the fetch of a zone.
        public struct DidFetchRecordZoneChanges: Sendable {
            /// The zone.
            public let zoneID: CKRecordZone.ID
            /// The failure, or `nil`.
            public let error: CKError?
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
