/// One page of a query's records.
struct QueryResponse: Sendable {
    var records: [Record]
    /// The place after the last record; `nil` if there are no more.
    var position: QueryPosition?
}
