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

            /// Creates an event, to test a delegate with.
            ///
            /// - Parameter stateSerialization: The state to store.
            public init(stateSerialization: State.Serialization) {
                self.stateSerialization = stateSerialization
            }
        }

        /// A change of the account.
        public struct AccountChange: Sendable {
            /// The kind of the change.
            public let changeType: ChangeType

            /// Creates an event, to test a delegate with.
            ///
            /// - Parameter changeType: The kind of the change.
            public init(changeType: ChangeType) {
                self.changeType = changeType
            }

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

        /// The beginning of a fetch.
        public struct WillFetchChanges: Sendable {
            /// The fetch.
            public let context: FetchChangesContext

            /// Creates an event, to test a delegate with.
            ///
            /// - Parameter context: The fetch.
            public init(context: FetchChangesContext) {
                self.context = context
            }
        }

        /// The beginning of the fetch of a zone.
        public struct WillFetchRecordZoneChanges: Sendable {
            /// The zone.
            public let zoneID: RecordZone.ID

            /// Creates an event, to test a delegate with.
            ///
            /// - Parameter zoneID: The zone.
            public init(zoneID: RecordZone.ID) {
                self.zoneID = zoneID
            }
        }

        /// The end of the fetch of a zone.
        public struct DidFetchRecordZoneChanges: Sendable {
            /// The zone.
            public let zoneID: RecordZone.ID
            /// The failure, or `nil`.
            public let error: CabinetError?

            /// Creates an event, to test a delegate with.
            ///
            /// - Parameters:
            ///   - zoneID: The zone.
            ///   - error: The failure, or `nil`.
            public init(zoneID: RecordZone.ID, error: CabinetError? = nil) {
                self.zoneID = zoneID
                self.error = error
            }
        }

        /// The end of a fetch.
        public struct DidFetchChanges: Sendable {
            /// The fetch.
            public let context: FetchChangesContext

            /// Creates an event, to test a delegate with.
            ///
            /// - Parameter context: The fetch.
            public init(context: FetchChangesContext) {
                self.context = context
            }
        }

        /// The beginning of a send.
        public struct WillSendChanges: Sendable {
            /// The send.
            public let context: SendChangesContext

            /// Creates an event, to test a delegate with.
            ///
            /// - Parameter context: The send.
            public init(context: SendChangesContext) {
                self.context = context
            }
        }

        /// The end of a send.
        public struct DidSendChanges: Sendable {
            /// The send.
            public let context: SendChangesContext

            /// Creates an event, to test a delegate with.
            ///
            /// - Parameter context: The send.
            public init(context: SendChangesContext) {
                self.context = context
            }
        }
    }
}
