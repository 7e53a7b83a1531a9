/// The result of each zone of a ``ModifyZonesRequest``.
struct ModifyZonesResponse: Sendable {
    var saveResults: [RecordZone.ID: Result<RecordZone, CabinetError>]
    var deleteResults: [RecordZone.ID: Result<Void, CabinetError>]
}
