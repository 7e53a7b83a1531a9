/// A request for one page of the changes in a zone.
struct ZoneChangesRequest: Sendable {
    var scope: DatabaseScope
    var zoneID: RecordZone.ID
    var since: FeedPosition?
    var desiredKeys: [Record.FieldKey]?
    var resultsLimit: Int?
}
