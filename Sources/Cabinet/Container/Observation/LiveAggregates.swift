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

    /// The number of times that the store computes the aggregates again before contributions are requested again.
    ///
    /// There were too many the last time, and reading up to the limit takes about as long as the aggregates themselves.
    private static var loadsWithoutContributions: Int { 16 }

    /// Computes the aggregates in the store.
    ///
    /// Only a result that has to follow changes needs the contributions.
    func load(
        from client: ServiceClient, after old: LiveContributions?
    ) async throws -> (value: [AggregateGroup], state: LiveContributions?) {
        let wait = old?.loadsToWait ?? 1
        var request = request
        if wait > 0 { request.contributionLimit = 0 }
        let response = try await client.perform(request)
        var state = try LiveContributions(request, response)
        let isMissing = wait == 0 && response.contributions == nil
        state?.loadsToWait = isMissing ? Self.loadsWithoutContributions : max(wait - 1, 0)
        return (response.groups, state)
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
