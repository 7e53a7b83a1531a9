/// Asks for zones to be saved and deleted.
struct ModifyZonesRequest: Sendable {
    var scope: DatabaseScope
    var zonesToSave: [RecordZone]
    var zoneIDsToDelete: [RecordZone.ID]
}
