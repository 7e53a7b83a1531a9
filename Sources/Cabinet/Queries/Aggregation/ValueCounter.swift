/// The numbers of occurrences of values that are added one by one.
public struct ValueCounter: Sendable {
    private var countsByValue: [FieldValue?: Int] = [:]

    /// Creates a counter without values.
    public init() {}

    /// Counts a value, or `nil`.
    ///
    /// - Parameters:
    ///   - value: The value. References to one record are one value with any action, and so are the two zeros.
    ///   - count: The number of occurrences to add.
    public mutating func add(_ value: FieldValue?, count: Int = 1) {
        countsByValue[Self.representative(of: value), default: 0] += count
    }

    /// The counts in the ascending order of a ``Sort``, nil first, and references with the same record name by zone.
    public var counts: [ValueCount] {
        countsByValue.map { ValueCount(value: $0.key, count: $0.value) }
            .sorted { Self.isInOrder($0.value, $1.value) }
    }

    /// Whether one group comes before another.
    static func isInOrder(_ left: FieldValue?, _ right: FieldValue?) -> Bool {
        let ordering = FieldValue.sortOrder(left, right)
        if ordering == .same, case .reference(let left)? = left, case .reference(let right)? = right {
            return RecordOrder.compare(left.recordID, right.recordID) == .before
        }
        return ordering == .before
    }

    /// Returns one of the values that the filter language considers equal to a value of the same type.
    static func representative(of value: FieldValue?) -> FieldValue? {
        switch value {
        case .reference(let reference)?: .reference(Reference(recordID: reference.recordID, action: .none))
        case .double(let number)? where number == 0: .double(0)
        default: value
        }
    }
}

/// The number of records that have a value in a field.
public struct ValueCount: Sendable, Hashable {
    /// The value, or `nil` for the records that have none.
    public let value: FieldValue?

    /// The number of records.
    public let count: Int

    /// Creates a count.
    public init(value: FieldValue?, count: Int) {
        self.value = value
        self.count = count
    }
}
