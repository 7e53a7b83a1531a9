/// The contributions of a query's records to an aggregate, and the state of the database that it reflects.
///
/// The feed has the new version of a changed record, not the old one. So a change of one record needs what the record contributed
/// before. The groups are added up from all contributions, which keeps sums exact and finds the next minimum.
struct LiveContributions: LiveState {
    /// The groups with their aggregates.
    private(set) var value: [AggregateGroup]

    private(set) var basis: LiveBasis

    /// The number of times that the groups are computed again before the contributions are requested.
    var loadsToWait = 0

    private let request: AggregateRequest
    private let plan: QueryPlan
    private var filter: CompiledFilter
    private var reader: ContributionReader
    /// The contributions by record; `nil` if they are unknown, as those of too many records are.
    private var contributions: [RecordID: AggregateContribution]?

    /// Creates a state from the response to a request.
    ///
    /// - Returns: `nil` if changes cannot be merged: the service does not return a state of the database, or the aggregate follows
    ///   references, so that a change of another record can change it.
    init?(_ request: AggregateRequest, _ response: AggregateRequest.Response) throws {
        guard let basis = response.basis, !request.followsReferences else { return nil }
        self.basis = basis
        self.request = request
        value = response.groups
        plan = try QueryPlan(
            recordType: request.query.recordType, zoneID: request.zoneID, filter: request.query.filter,
            fields: FieldTypes(basis.fields, searchable: basis.searchable)
        ).simplified()
        filter = CompiledFilter(validated: plan.filter, fields: plan.fields)
        reader = ContributionReader(request)
        contributions = response.contributions.map { contributions in
            Dictionary(contributions.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    mutating func merge(_ response: FetchLiveChangesRequest.Response) throws -> MergeOutcome {
        guard let changes = LiveChanges(response, since: basis, zoneID: plan.zoneID) else { return .stale }
        basis = changes.basis
        if changes.isEmpty { return .unchanged }
        guard var contributions else { return .stale }
        // Release this reference, so that the dictionary is changed in place.
        self.contributions = nil
        var isChanged = false
        if !changes.removedZones.isEmpty {
            let count = contributions.count
            contributions = contributions.filter { !changes.removedZones.contains($0.key.zoneID) }
            isChanged = contributions.count < count
        }
        filter.meter = WorkMeter.current
        for (recordID, record) in changes.records {
            let new = try record.flatMap { try contribution(of: $0) }
            if contributions[recordID] == new { continue }
            contributions[recordID] = new
            isChanged = true
        }
        guard contributions.count <= request.contributionLimit ?? 0 else { return .stale }
        let old = value
        if isChanged { value = try request.groups(of: contributions.values) }
        self.contributions = contributions
        return value == old ? .unchanged : .changed
    }

    private mutating func contribution(of record: StoredRecord) throws -> AggregateContribution? {
        guard record.recordType.hasSameScalars(as: plan.recordType), try filter.matches(record) else { return nil }
        return try reader.contribution(of: record)
    }
}
