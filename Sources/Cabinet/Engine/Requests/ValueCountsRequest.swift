/// A request for the number of a query's records by the values of a field.
struct ValueCountsRequest: Sendable {
    var scope: DatabaseScope
    var query: Query
    var zoneID: RecordZone.ID?
    var key: Record.FieldKey
}
