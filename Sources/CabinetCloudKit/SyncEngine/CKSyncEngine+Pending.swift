import Cabinet

extension CKSyncEngine {
    /// A change of a record that is to be sent.
    public enum PendingRecordZoneChange: Sendable, Hashable {
        /// The record is to be saved. The delegate provides it when it is sent.
        case saveRecord(CKRecord.ID)
        /// The record is to be deleted.
        case deleteRecord(CKRecord.ID)

        init(_ value: SyncEngine.PendingRecordZoneChange) {
            switch value {
            case .saveRecord(let id): self = .saveRecord(CKRecord.ID(id))
            case .deleteRecord(let id): self = .deleteRecord(CKRecord.ID(id))
            }
        }

        /// The change as Cabinet has it.
        var value: SyncEngine.PendingRecordZoneChange {
            switch self {
            case .saveRecord(let id): .saveRecord(id.value)
            case .deleteRecord(let id): .deleteRecord(id.value)
            }
        }
    }

    /// A change of a zone that is to be sent.
    public enum PendingDatabaseChange: Sendable, Hashable {
        /// The zone is to be saved.
        case saveZone(CKRecordZone)
        /// The zone is to be deleted.
        case deleteZone(CKRecordZone.ID)

        init(_ value: SyncEngine.PendingDatabaseChange) {
            switch value {
            case .saveZone(let zone): self = .saveZone(CKRecordZone(zone))
            case .deleteZone(let id): self = .deleteZone(CKRecordZone.ID(id))
            }
        }

        /// The change as Cabinet has it.
        var value: SyncEngine.PendingDatabaseChange {
            switch self {
            case .saveZone(let zone): .saveZone(zone.value)
            case .deleteZone(let id): .deleteZone(id.value)
            }
        }
    }

    /// Records to send in one request.
    public struct RecordZoneChangeBatch: Sendable {
        /// The records to save.
        public var recordsToSave: [CKRecord]
        /// The IDs of the records to delete.
        public var recordIDsToDelete: [CKRecord.ID]
        /// Whether the failure of one record leaves all records of its zone unchanged.
        public var atomicByZone: Bool

        /// Creates a batch.
        public init(
            recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [], atomicByZone: Bool = false
        ) {
            self.recordsToSave = recordsToSave
            self.recordIDsToDelete = recordIDsToDelete
            self.atomicByZone = atomicByZone
        }

        /// Creates a batch of the first pending changes that fit, or returns `nil` if there are none.
        ///
        /// - Parameters:
        ///   - pendingChanges: The changes.
        ///   - recordProvider: A closure that returns the record to save, or `nil` to leave it out.
        public init?(
            pendingChanges: [PendingRecordZoneChange], recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            self.init()
            for change in pendingChanges {
                if recordsToSave.count + recordIDsToDelete.count == SyncEngine.RecordZoneChangeBatch.maximumCount {
                    break
                }
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
