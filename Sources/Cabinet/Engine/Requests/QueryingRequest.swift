/// A request that runs a query.
protocol QueryingRequest: Sendable {
    var query: Query { get set }
    var zoneID: RecordZone.ID? { get set }
}

extension QueryRequest: QueryingRequest {}
extension CountRequest: QueryingRequest {}
extension AggregateRequest: QueryingRequest {}
extension ValueCountsRequest: QueryingRequest {}
extension ExplainRequest: QueryingRequest {}
extension GroupedAggregateRequest: QueryingRequest {}
