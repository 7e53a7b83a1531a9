import Cabinet

extension CKSyncEngine {
    /// The changes that an engine is to send and fetch.
    public final class State: Sendable {
        private let value: SyncEngine.State
        private let hidesDefaultZone: Bool

        init(_ value: SyncEngine.State, hidesDefaultZone: Bool) {
            self.value = value
            self.hidesDefaultZone = hidesDefaultZone
        }

        /// The state as a value that a program stores with its records.
        public struct Serialization: Codable, Sendable {
            let value: SyncEngine.State.Serialization

            init(_ value: SyncEngine.State.Serialization) { self.value = value }

            /// Decodes a state.
            public init(from decoder: any Decoder) throws {
                value = try SyncEngine.State.Serialization(from: decoder)
            }

            /// Encodes the state.
            public func encode(to encoder: any Encoder) throws {
                try value.encode(to: encoder)
            }
        }

        /// The changes of records that are to be sent.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
            value.pendingRecordZoneChanges.map { PendingRecordZoneChange($0) }
        }

        /// The changes of zones that are to be sent.
        public var pendingDatabaseChanges: [PendingDatabaseChange] {
            value.pendingDatabaseChanges.map { PendingDatabaseChange($0) }
        }

        /// Whether the program has changes that it keeps track of itself; the engine then asks for batches.
        public var hasPendingUntrackedChanges: Bool {
            get { value.hasPendingUntrackedChanges }
            set { value.hasPendingUntrackedChanges = newValue }
        }

        /// The zones that have changes which were not fetched.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
            value.zoneIDsWithUnfetchedServerChanges.filter { !hidesDefaultZone || $0 != .default }
                .map { CKRecordZone.ID($0) }
        }

        /// Adds changes of records.
        ///
        /// The last change of a record counts.
        public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            value.add(pendingRecordZoneChanges: pendingRecordZoneChanges.map(\.value))
        }

        /// Removes changes of records.
        public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            value.remove(pendingRecordZoneChanges: pendingRecordZoneChanges.map(\.value))
        }

        /// Adds changes of zones.
        ///
        /// The last change of a zone counts.
        public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
            value.add(pendingDatabaseChanges: pendingDatabaseChanges.map(\.value))
        }

        /// Removes changes of zones.
        public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
            value.remove(pendingDatabaseChanges: pendingDatabaseChanges.map(\.value))
        }
    }
}
