extension CKSyncEngine.Event: CustomStringConvertible {
    /// The kind of the event and the number of its items, for logs.
    public var description: String {
        switch self {
        case .stateUpdate: "stateUpdate"
        case .accountChange(let change): "accountChange(\(change.changeType))"
        case .fetchedDatabaseChanges(let changes):
            "fetchedDatabaseChanges(modifications: \(changes.modifications.count), deletions: \(changes.deletions.count))"
        case .fetchedRecordZoneChanges(let changes):
            "fetchedRecordZoneChanges(modifications: \(changes.modifications.count), deletions: \(changes.deletions.count))"
        case .sentDatabaseChanges(let changes):
            "sentDatabaseChanges(saved: \(changes.savedZones.count), deleted: \(changes.deletedZoneIDs.count), "
                + "failed: \(changes.failedZoneSaves.count + changes.failedZoneDeletes.count))"
        case .sentRecordZoneChanges(let changes):
            "sentRecordZoneChanges(saved: \(changes.savedRecords.count), deleted: \(changes.deletedRecordIDs.count), "
                + "failed: \(changes.failedRecordSaves.count + changes.failedRecordDeletes.count))"
        case .willFetchChanges: "willFetchChanges"
        case .willFetchRecordZoneChanges(let zone): "willFetchRecordZoneChanges(\(zone.zoneID))"
        case .didFetchRecordZoneChanges(let zone):
            "didFetchRecordZoneChanges(\(zone.zoneID)\(zone.error.map { ", \($0)" } ?? ""))"
        case .didFetchChanges: "didFetchChanges"
        case .willSendChanges: "willSendChanges"
        case .didSendChanges: "didSendChanges"
        }
    }
}

extension CKSyncEngine.PendingRecordZoneChange: CustomStringConvertible {
    /// The kind of the change and the record, for logs.
    public var description: String {
        switch self {
        case .saveRecord(let id): "saveRecord(\(id))"
        case .deleteRecord(let id): "deleteRecord(\(id))"
        }
    }
}

extension CKSyncEngine.PendingDatabaseChange: CustomStringConvertible {
    /// The kind of the change and the zone, for logs.
    public var description: String {
        switch self {
        case .saveZone(let zone): "saveZone(\(zone.zoneID))"
        case .deleteZone(let id): "deleteZone(\(id))"
        }
    }
}

extension CKSyncEngine {
    /// A part of an event or of a request, whose description has its properties.
    public protocol Describable: CustomStringConvertible {}
}

extension CKSyncEngine.Describable {
    /// The type and the properties, for logs.
    public var description: String {
        let mirror = Mirror(reflecting: self)
        let properties = mirror.children.map { "\($0.label ?? ""): \($0.value)" }
        return "\(mirror.subjectType)(\(properties.joined(separator: ", ")))"
    }
}

extension CKSyncEngine.FetchChangesContext: CKSyncEngine.Describable {}
extension CKSyncEngine.FetchChangesOptions: CKSyncEngine.Describable {}
extension CKSyncEngine.SendChangesContext: CKSyncEngine.Describable {}
extension CKSyncEngine.SendChangesOptions: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.StateUpdate: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.AccountChange: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.FetchedDatabaseChanges: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.FetchedRecordZoneChanges: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.SentDatabaseChanges: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.SentDatabaseChanges.FailedZoneSave: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.SentRecordZoneChanges: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.WillFetchChanges: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.WillFetchRecordZoneChanges: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.DidFetchRecordZoneChanges: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.DidFetchChanges: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.WillSendChanges: CKSyncEngine.Describable {}
extension CKSyncEngine.Event.DidSendChanges: CKSyncEngine.Describable {}

extension CKSyncEngine.SyncReason: CustomStringConvertible {
    /// The name of the reason, for logs.
    public var description: String { self == .manual ? "manual" : "scheduled" }
}
