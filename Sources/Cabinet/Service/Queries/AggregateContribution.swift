/// The contribution of one record to an aggregate.
public struct AggregateContribution: Sendable, Hashable {
    /// The record.
    public var recordID = RecordID(recordName: "")
    /// The record's value of the field that the aggregate is of; `nil` without one, and if records are counted.
    public var value: FieldValue?
    /// The record's value of the field that forms the groups; `nil` without one, and for one group.
    public var group: FieldValue?
}

extension AggregateContribution: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("id", &recordID)
        try coder.part("value", &value)
        try coder.part("group", &group)
    }
}

extension AggregateRequest {
    /// The maximum number of records whose contributions an observer holds.
    ///
    /// Up to it, a change costs less than computing the aggregate again. Beyond it, the contributions would take more than 2 MB,
    /// and the store computes the aggregate in some milliseconds.
    static let maximumContributions = 10_000

    /// The fields that the aggregate reads, apart from those of the filter.
    var keys: [Record.FieldKey] { (aggregate == nil ? [] : [key]) + [group].compactMap(\.self) }

    /// Whether the result depends on records that references lead to.
    var followsReferences: Bool { query.filter.hasPaths || keys.contains(where: FieldPath.leadsToOthers) }

    /// Returns the groups of all matching records, as a store computes them.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the aggregate does not accept a value.
    /// - Complexity: O(*n*) in the number of records.
    func groups(of contributions: some Collection<AggregateContribution>) throws -> [AggregateGroup] {
        switch (aggregate, group) {
        case (nil, nil): return [AggregateGroup(value: nil, result: .int64(Int64(contributions.count)))]
        case (nil, _?):
            var counter = ValueCounter()
            for contribution in contributions { counter.add(contribution.group) }
            return counter.counts.map { AggregateGroup(value: $0.value, result: .int64(Int64($0.count))) }
        case (let aggregate?, nil):
            return [AggregateGroup(value: nil, result: try aggregate.value(of: contributions.lazy.map(\.value)))]
        case (let aggregate?, _?):
            var accumulator = GroupedAccumulator(aggregate)
            for contribution in contributions { try accumulator.add(contribution.value, to: contribution.group) }
            return accumulator.groups
        }
    }
}

/// Reads what records contribute to an aggregate that does not follow references.
struct ContributionReader {
    private var value: KeyReader?
    private var group: KeyReader?

    init(_ request: AggregateRequest) {
        value = request.aggregate == nil ? nil : KeyReader(request.key)
        group = request.group.map { KeyReader($0) }
    }

    /// Returns the contribution of a record that matches the query.
    mutating func contribution(of record: StoredRecord) throws -> AggregateContribution {
        AggregateContribution(
            recordID: record.recordID,
            value: try value?.value(of: record, resolving: .none),
            group: try group?.value(of: record, resolving: .none))
    }
}
