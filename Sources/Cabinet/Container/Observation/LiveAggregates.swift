/// The source of a live query for aggregates.
struct LiveAggregates<Element: Sendable>: LiveSource {
    /// The request that computes the aggregates.
    private let request: AggregateRequest
    /// Returns the observer's form of the groups.
    private let transform: @Sendable ([AggregateGroup]) throws -> Element

    init(
        _ request: AggregateRequest, for client: ServiceClient,
        _ transform: @escaping @Sendable ([AggregateGroup]) throws -> Element
    ) {
        self.request = OwnerRule(user: client.userRecordName).canonical(request)
        self.transform = transform
    }

    var scope: DatabaseScope { request.scope }

    /// Computes the aggregates in the store.
    ///
    /// Only a result that has to follow changes needs the contributions.
    func load(
        from client: ServiceClient, isFirst: Bool
    ) async throws -> (value: [AggregateGroup], state: LiveContributions?) {
        var request = request
        if isFirst { request.contributionLimit = 0 }
        let response = try await client.perform(request)
        return (response.groups, try LiveContributions(request, response))
    }

    func changes(since basis: LiveBasis) -> FetchLiveChangesRequest {
        FetchLiveChangesRequest(
            scope: scope, recordType: request.query.recordType, zoneID: request.zoneID, basis: basis)
    }

    func completed(_ state: LiveContributions, from client: ServiceClient) async throws -> LiveContributions? { state }

    func element(of value: [AggregateGroup], _ state: LiveContributions?, from client: ServiceClient) throws -> Element
    {
        try transform(value)
    }
}
