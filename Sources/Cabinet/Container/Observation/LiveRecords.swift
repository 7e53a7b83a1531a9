/// The source of a live query for records.
struct LiveRecords: LiveSource {
    /// The request that runs the query.
    private let request: QueryRecordsRequest
    /// The maximum number of records, or `nil` for all.
    private let limit: Int?

    init(_ request: QueryRecordsRequest, limit: Int?, for client: ServiceClient) {
        var request = OwnerRule(user: client.userRecordName).canonical(request)
        request.observes = true
        request.resultsLimit = limit ?? .max
        self.request = request
        self.limit = limit
    }

    var scope: DatabaseScope { request.scope }

    func load(from client: ServiceClient, after old: LiveResult?) async throws -> (value: [Record], state: LiveResult?)
    {
        let response = try await client.perform(request)
        guard let basis = response.basis, var state = try LiveResult(request, response.records, basis) else {
            return (response.records, nil)
        }
        state.limit = limit
        try state.setEnd(response.position)
        return (response.records, state)
    }

    func changes(since basis: LiveBasis) -> FetchLiveChangesRequest {
        FetchLiveChangesRequest(
            scope: scope, recordType: request.query.recordType, zoneID: request.zoneID, basis: basis)
    }

    func completed(_ state: LiveResult, from client: ServiceClient) async throws -> LiveResult? {
        guard let gap = state.gap else { return state }
        var request = request
        request.position = gap.position
        request.resultsLimit = gap.count
        let rest = try await client.perform(request)
        // If the database has changed again, these records do not continue the others.
        guard rest.basis == state.basis else { return nil }
        var state = state
        return try state.append(rest) ? state : nil
    }

    func element(of value: [Record], _ state: LiveResult?, from client: ServiceClient) async throws -> [Record] {
        let records = value.trimmed(to: request.desiredKeys)
        if state?.plan.fields.hasAssets == false { return records }
        // The asset of a record that was deleted since has no file; the next result omits the record.
        return try await client.addingFiles(to: records, in: scope)
    }
}
