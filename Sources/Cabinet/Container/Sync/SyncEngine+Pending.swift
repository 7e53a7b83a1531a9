extension SyncEngine {
    /// A change of a record that is to be sent.
    public enum PendingRecordZoneChange: Sendable, Hashable {
        /// The record is to be saved.
        ///
        /// The delegate provides it when it is sent.
        case saveRecord(RecordID)
        /// The record is to be deleted.
        case deleteRecord(RecordID)

        /// The record.
        public var recordID: RecordID {
            switch self {
            case .saveRecord(let id), .deleteRecord(let id): id
            }
        }
    }

    /// A change of a zone that is to be sent.
    public enum PendingDatabaseChange: Sendable, Hashable {
        /// The zone is to be saved.
        case saveZone(RecordZone)
        /// The zone is to be deleted.
        case deleteZone(RecordZone.ID)

        /// The zone.
        public var zoneID: RecordZone.ID {
            switch self {
            case .saveZone(let zone): zone.zoneID
            case .deleteZone(let id): id
            }
        }
    }

    /// Records to send in one request.
    public struct RecordZoneChangeBatch: Sendable {
        /// The records to save.
        public var recordsToSave: [Record]
        /// The IDs of the records to delete.
        public var recordIDsToDelete: [RecordID]
        /// Whether the failure of one record leaves all records of its zone unchanged.
        public var atomicByZone: Bool

        /// The largest number of changes that ``init(pendingChanges:isolation:recordProvider:)`` puts into a batch: what CloudKit
        /// takes in one request.
        public static let maximumCount = 400

        /// Creates a batch.
        ///
        /// - Parameters:
        ///   - recordsToSave: The records to save.
        ///   - recordIDsToDelete: The IDs of the records to delete.
        ///   - atomicByZone: Whether the failure of one record leaves all records of its zone unchanged.
        public init(
            recordsToSave: [Record] = [], recordIDsToDelete: [RecordID] = [], atomicByZone: Bool = false
        ) {
            self.recordsToSave = recordsToSave
            self.recordIDsToDelete = recordIDsToDelete
            self.atomicByZone = atomicByZone
        }

        /// Creates a batch of the first pending changes that fit, or returns `nil` if there are none.
        ///
        /// - Parameters:
        ///   - pendingChanges: The changes.
        ///   - isolation: The actor that the closure belongs to, by default the caller.
        ///   - recordProvider: A closure that returns the record to save, or `nil` to leave it out.
        public init?(
            pendingChanges: [PendingRecordZoneChange], isolation: isolated (any Actor)? = #isolation,
            recordProvider: (RecordID) async -> Record?
        ) async {
            self.init()
            for change in pendingChanges {
                if recordsToSave.count + recordIDsToDelete.count == Self.maximumCount { break }
                switch change {
                case .saveRecord(let id):
                    if let record = await recordProvider(id) { recordsToSave.append(record) }
                case .deleteRecord(let id): recordIDsToDelete.append(id)
                }
            }
            if recordsToSave.isEmpty, recordIDsToDelete.isEmpty { return nil }
        }
    }
}
