extension SyncEngine {
    /// The settings of an engine.
    public struct Configuration: Sendable {
        /// The database.
        public var database: Database
        /// The state of the last time, or `nil` for an engine that has never run.
        public var stateSerialization: State.Serialization?
        /// The part of the program that stores records.
        ///
        /// The engine does not keep it alive.
        public var delegate: any SyncEngineDelegate
        /// Whether the engine sends and fetches by itself.
        public var automaticallySync: Bool
        /// The name of the engine's subscription, which an automatic engine saves, or `nil` for a name of its own.
        public var subscriptionID: String?

        /// Creates settings.
        ///
        /// - Parameters:
        ///   - database: The database.
        ///   - stateSerialization: The state of the last time, or `nil` for an engine that has never run.
        ///   - delegate: The part of the program that stores records.
        ///   - automaticallySync: Whether the engine sends and fetches by itself.
        ///   - subscriptionID: The name of the engine's subscription, or `nil` for a name of its own.
        public init(
            database: Database, stateSerialization: State.Serialization?, delegate: any SyncEngineDelegate,
            automaticallySync: Bool = true, subscriptionID: String? = nil
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
            self.automaticallySync = automaticallySync
            self.subscriptionID = subscriptionID
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
    public struct FetchChangesOptions: Sendable, Hashable {
        /// The zones to fetch.
        public var scope: Scope
        /// The zones to fetch first.
        public var prioritizedZoneIDs: [RecordZone.ID]

        /// Creates options, by default for all zones.
        ///
        /// - Parameters:
        ///   - scope: The zones to fetch.
        ///   - prioritizedZoneIDs: The zones to fetch first.
        public init(scope: Scope = .all, prioritizedZoneIDs: [RecordZone.ID] = []) {
            self.scope = scope
            self.prioritizedZoneIDs = prioritizedZoneIDs
        }

        /// A set of zones.
        public enum Scope: Sendable, Hashable {
            /// All zones.
            case all
            /// All zones but some.
            case allExcluding([RecordZone.ID])
            /// Some zones.
            case zoneIDs([RecordZone.ID])

            /// Returns a Boolean value that indicates whether a zone is fetched.
            public func contains(_ zoneID: RecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zones): !zones.contains(zoneID)
                case .zoneIDs(let zones): zones.contains(zoneID)
                }
            }
        }
    }

    /// A fetch in progress.
    public struct FetchChangesContext: Sendable, Hashable {
        /// The reason of the fetch.
        public let reason: SyncReason
        /// The changes to fetch.
        public let options: FetchChangesOptions

        /// Creates a fetch, to test a delegate with.
        ///
        /// - Parameters:
        ///   - reason: The reason of the fetch.
        ///   - options: The changes to fetch.
        public init(reason: SyncReason = .manual, options: FetchChangesOptions = FetchChangesOptions()) {
            self.reason = reason
            self.options = options
        }
    }

    /// The changes to send.
    public struct SendChangesOptions: Sendable, Hashable {
        /// The records to send.
        public var scope: Scope

        /// Creates options, by default for all records.
        ///
        /// - Parameter scope: The records to send.
        public init(scope: Scope = .all) {
            self.scope = scope
        }

        /// A set of records.
        public enum Scope: Sendable, Hashable {
            /// All records.
            case all
            /// All records but those of some zones.
            case allExcluding([RecordZone.ID])
            /// The records of some zones.
            case zoneIDs([RecordZone.ID])
            /// Some records.
            case recordIDs([RecordID])

            /// Returns a Boolean value that indicates whether a change is sent.
            public func contains(_ pendingRecordZoneChange: PendingRecordZoneChange) -> Bool {
                contains(pendingRecordZoneChange.recordID)
            }

            /// Returns a Boolean value that indicates whether the changes of a record are sent.
            public func contains(_ recordID: RecordID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zones): !zones.contains(recordID.zoneID)
                case .zoneIDs(let zones): zones.contains(recordID.zoneID)
                case .recordIDs(let records): records.contains(recordID)
                }
            }

            /// Returns a Boolean value that indicates whether the changes of a zone itself are sent.
            public func contains(_ zoneID: RecordZone.ID) -> Bool {
                switch self {
                case .all, .recordIDs: true
                case .allExcluding(let zones): !zones.contains(zoneID)
                case .zoneIDs(let zones): zones.contains(zoneID)
                }
            }
        }
    }

    /// A send in progress.
    public struct SendChangesContext: Sendable, Hashable {
        /// The reason of the send.
        public let reason: SyncReason
        /// The changes to send.
        public let options: SendChangesOptions

        /// Creates a send, to test a delegate with.
        ///
        /// - Parameters:
        ///   - reason: The reason of the send.
        ///   - options: The changes to send.
        public init(reason: SyncReason = .manual, options: SendChangesOptions = SendChangesOptions()) {
            self.reason = reason
            self.options = options
        }
    }
}
