/// One page of a query's records.
struct QueryResponse: Sendable {
    var records: [Record]
    /// The position after the last record; `nil` if no more records follow.
    var position: QueryPosition?
}
