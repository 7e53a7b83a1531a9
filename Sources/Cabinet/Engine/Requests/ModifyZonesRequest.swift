/// A request to save and delete zones.
struct ModifyZonesRequest: Sendable {
    var scope: DatabaseScope
    var zonesToSave: [RecordZone]
    var zoneIDsToDelete: [RecordZone.ID]
}
