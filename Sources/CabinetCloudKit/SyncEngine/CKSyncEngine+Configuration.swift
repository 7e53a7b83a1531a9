import Cabinet

extension CKSyncEngine {
    /// The settings of an engine.
    public struct Configuration: Sendable {
        /// The database: the private or the shared one.
        public var database: CKDatabase
        /// The state of the last time, or `nil` for an engine that has never run.
        public var stateSerialization: State.Serialization?
        /// The part of the program that stores records.
        ///
        /// The engine does not keep it alive.
        public var delegate: any CKSyncEngineDelegate
        /// Whether the engine sends and fetches by itself.
        public var automaticallySync = true
        /// The name of the engine's subscription, or `nil` for a name of its own.
        public var subscriptionID: CKSubscription.ID?

        /// Creates settings.
        public init(
            database: CKDatabase, stateSerialization: State.Serialization?, delegate: any CKSyncEngineDelegate
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
        }
    }

    /// The reason why the engine sends or fetches.
    public enum SyncReason: Sendable, Hashable {
        /// The engine decided.
        case scheduled
        /// The program asked.
        case manual
    }

    /// The changes to fetch.
    public struct FetchChangesOptions: Sendable {
        /// The zones to fetch.
        public var scope: Scope
        /// The group of the operations, which is accepted and ignored.
        public var operationGroup: CKOperationGroup
        /// The zones to fetch first.
        public var prioritizedZoneIDs: [CKRecordZone.ID] = []

        /// Creates options, by default for all zones.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }

        /// A set of zones.
        public enum Scope: Sendable, Equatable {
            /// All zones.
            case all
            /// All zones but some.
            case allExcluding([CKRecordZone.ID])
            /// Some zones.
            case zoneIDs([CKRecordZone.ID])

            /// Returns a Boolean value that indicates whether a zone is fetched.
            public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zones): !zones.contains(zoneID)
                case .zoneIDs(let zones): zones.contains(zoneID)
                }
            }
        }
    }

    /// A fetch in progress.
    public struct FetchChangesContext: Sendable {
        /// The reason of the fetch.
        public let reason: SyncReason
        /// The changes to fetch.
        public let options: FetchChangesOptions
    }

    /// The changes to send.
    public struct SendChangesOptions: Sendable {
        /// The records to send.
        public var scope: Scope
        /// The group of the operations, which is accepted and ignored.
        public var operationGroup: CKOperationGroup

        /// Creates options, by default for all records.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }

        /// A set of records.
        public enum Scope: Sendable, Equatable {
            /// All records.
            case all
            /// All records but those of some zones.
            case allExcluding([CKRecordZone.ID])
            /// The records of some zones.
            case zoneIDs([CKRecordZone.ID])
            /// Some records.
            case recordIDs([CKRecord.ID])

            /// Returns a Boolean value that indicates whether a change is sent.
            public func contains(_ pendingRecordZoneChange: PendingRecordZoneChange) -> Bool {
                contains(CKRecord.ID(pendingRecordZoneChange.value.recordID))
            }

            /// Returns a Boolean value that indicates whether the changes of a record are sent.
            public func contains(_ recordID: CKRecord.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zones): !zones.contains(recordID.zoneID)
                case .zoneIDs(let zones): zones.contains(recordID.zoneID)
                case .recordIDs(let records): records.contains(recordID)
                }
            }
        }
    }

    /// A send in progress.
    public struct SendChangesContext: Sendable {
        /// The reason of the send.
        public let reason: SyncReason
        /// The changes to send.
        public let options: SendChangesOptions
    }
}
