/// A request for an aggregate of a field of a query's records, for each value of another field.
struct GroupedAggregateRequest: Sendable {
    var scope: DatabaseScope
    var query: Query
    var zoneID: RecordZone.ID?
    var aggregate: Aggregate
    var key: Record.FieldKey
    var group: Record.FieldKey
}
