/// Asks for one page of what has changed in a zone.
struct ZoneChangesRequest: Sendable {
    var scope: DatabaseScope
    var zoneID: RecordZone.ID
    var since: FeedPosition?
    var desiredKeys: [Record.FieldKey]?
    var resultsLimit: Int?
}
