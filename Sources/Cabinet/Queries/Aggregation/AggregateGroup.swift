/// An aggregate of the records that share a value of a field.
public struct AggregateGroup: Sendable, Hashable {
    /// The value that the records share; `nil` for the records without one.
    public var value: FieldValue?

    /// The aggregate, or the number of records.
    public var result: FieldValue?

    /// The number of records, if the groups were counted.
    var count: Int {
        get throws(CabinetError) {
            // Counts are added up, which a faulty server's must not overflow.
            guard case .int64(let number)? = result, 0...1 << 40 ~= number, let count = Int(exactly: number) else {
                throw CabinetError(.internalError, "The service gave no number of records.")
            }
            return count
        }
    }
}

/// Computes an aggregate for each group of records, one record after the other.
struct GroupedAccumulator {
    private let aggregate: Aggregate
    private var accumulators: [FieldValue?: AggregateAccumulator] = [:]

    init(_ aggregate: Aggregate) {
        self.aggregate = aggregate
    }

    /// Adds a record's value to its group, which is created even if the value is `nil`.
    mutating func add(_ value: FieldValue?, to group: FieldValue?) throws {
        try accumulators[ValueCounter.representative(of: group), default: AggregateAccumulator(aggregate)].add(value)
    }

    /// The groups, in the order of ``ValueCounter/counts``.
    var groups: [AggregateGroup] {
        accumulators.map { AggregateGroup(value: $0.key, result: $0.value.result) }
            .sorted { ValueCounter.isInOrder($0.value, $1.value) }
    }
}
