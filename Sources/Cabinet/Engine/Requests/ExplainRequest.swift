/// A request to explain how a query is run.
struct ExplainRequest: Sendable {
    var scope: DatabaseScope
    var query: Query
    var zoneID: RecordZone.ID?
}
