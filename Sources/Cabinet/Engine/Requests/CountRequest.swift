/// A request for the number of a query's records.
struct CountRequest: Sendable {
    var scope: DatabaseScope
    var query: Query
    var zoneID: RecordZone.ID?
}
