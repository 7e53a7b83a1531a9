/// A request that runs a query.
protocol QueryingRequest: Sendable {
    var query: Query { get set }
    var zoneID: RecordZone.ID? { get set }
}

extension QueryRecordsRequest: QueryingRequest {}
extension AggregateRequest: QueryingRequest {}
extension ExplainQueryRequest: QueryingRequest {}
