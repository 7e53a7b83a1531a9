/// A request for the number of a query's records, or an aggregate of their values, as a whole or by the values of a field.
public struct AggregateRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The query, whose order does not matter.
    public var query = Query()
    /// The zone, or `nil` for all zones.
    public var zoneID: RecordZone.ID?
    /// The aggregate, or `nil` to count the records.
    public var aggregate: Aggregate?
    /// The field that the aggregate is of; empty if the records are counted.
    public var key = ""
    /// The field whose values form the groups, or `nil` for one group.
    public var group: Record.FieldKey?
    /// The number of matching records up to which an observer keeps what each contributes; `nil` if the aggregate is not observed.
    public var contributionLimit: Int?

    /// The groups of an ``AggregateRequest``, in the order of their values.
    public struct Response: ServiceValue {
        /// The groups; without a field to group by, one group without a value.
        public var groups: [AggregateGroup] = []
        /// The contribution of each matching record; `nil` if they are more than the request's limit, or if the request follows
        /// references.
        public var contributions: [AggregateContribution]?
        /// The state of the database that the groups are of, for an observer.
        var basis: LiveBasis?

        /// The result of a request without groups.
        var result: FieldValue? { groups.first?.result }

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "aggregate"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension AggregateRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("query", &query)
        try coder.part("zone", &zoneID)
        try coder.part("aggregate", &aggregate)
        try coder.part("key", &key)
        try coder.part("group", &group)
        try coder.part("contributionLimit", &contributionLimit)
    }
}

extension AggregateRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("groups", &groups)
        try coder.part("contributions", &contributions)
        try coder.part("basis", &basis)
    }
}

extension AggregateRequest.Response {
    /// Replaces the IDs of records, also in the values of groups.
    mutating func mapRecordIDs(_ transform: (RecordID) -> RecordID) {
        func mapped(_ value: FieldValue?) -> FieldValue? {
            value.map { $0.mappingReferences { Reference(recordID: transform($0.recordID), action: $0.action) } ?? $0 }
        }
        for index in groups.indices {
            groups[index].value = mapped(groups[index].value)
            groups[index].result = mapped(groups[index].result)
        }
        contributions = contributions.map { contributions in
            contributions.map {
                AggregateContribution(
                    recordID: transform($0.recordID), value: mapped($0.value), group: mapped($0.group))
            }
        }
    }
}

extension Aggregate: Coded {}

extension AggregateGroup: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("value", &value)
        try coder.part("result", &result)
    }
}
