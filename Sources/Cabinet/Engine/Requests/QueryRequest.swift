/// A request for one page of a query's records.
struct QueryRequest: Sendable {
    var scope: DatabaseScope
    var query: Query
    var zoneID: RecordZone.ID?
    /// The position in the query's order after which the page begins.
    var position: QueryPosition?
    var desiredKeys: [Record.FieldKey]?
    var resultsLimit: Int
    /// Whether the page must hold the first records of the order, rather than any.
    var isOrdered = true
}
