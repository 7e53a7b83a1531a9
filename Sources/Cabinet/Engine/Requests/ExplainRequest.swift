/// Asks how a query's records are found.
struct ExplainRequest: Sendable {
    var scope: DatabaseScope
    var query: Query
    var zoneID: RecordZone.ID?
}
