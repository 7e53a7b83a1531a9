/// A value that is computed from all values of a field.
///
/// Records without a value in the field are ignored. Without any values, the sum is 0 and the other aggregates are
/// `nil`.
public enum Aggregate: String, Sendable, Hashable, Codable, CaseIterable {
    /// The sum of numbers: a whole number if all are whole and the sum fits 64 bits, else the DOUBLE nearest to the
    /// exact sum.
    ///
    /// The order of the numbers does not affect it.
    case sum
    /// The mean of numbers, a DOUBLE: the exact sum, rounded, divided by the count.
    case average
    /// The first value in the order of a ``Sort``.
    case minimum
    /// The last value in the order of a ``Sort``.
    case maximum
}

/// An aggregate of values that are added one by one, computed in constant memory.
///
/// ```swift
/// var accumulator = AggregateAccumulator(.sum)
/// for record in records { try accumulator.add(record.fields["number"]) }
/// let sum = accumulator.result
/// ```
///
/// The result does not depend on the order in which the values come.
public struct AggregateAccumulator: Sendable {
    private let aggregate: Aggregate
    private var count = 0
    /// The sum of the whole numbers, which only 2 to the power of 63 of them could overflow.
    private var wholeSum: Int128 = 0
    /// The sum of the other numbers, or `nil` if there are none.
    private var otherSum: ExactSum?
    private var extreme: FieldValue?

    /// Creates an accumulator that no value was added to.
    public init(_ aggregate: Aggregate) {
        self.aggregate = aggregate
    }

    /// Adds a value, or ignores `nil`.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the value is of the wrong type. A sum or an average takes
    ///   numbers, and a minimum or a maximum takes text, numbers, dates or bytes.
    public mutating func add(_ value: FieldValue?) throws {
        guard let value else { return }
        guard aggregate.accepts(value.fieldType) else {
            throw CabinetError(
                .invalidArguments, "\(aggregate.expectation); the value \(value) is of type \(value.fieldType).")
        }
        switch aggregate {
        case .sum, .average: addNumber(value)
        case .minimum, .maximum: addToExtreme(value)
        }
    }

    private mutating func addNumber(_ value: FieldValue) {
        switch value {
        case .int64(let number): wholeSum += Int128(number)
        case .double(let number):
            if otherSum == nil { otherSum = ExactSum() }
            otherSum?.add(number)
        default: return
        }
        count += 1
    }

    private mutating func addToExtreme(_ value: FieldValue) {
        if case .double(let number) = value, number.isNaN { return }
        let isBetter =
            switch FieldValue.sortOrder(value, extreme) {
            case .before: aggregate == .minimum || extreme == nil
            case .after: aggregate == .maximum || extreme == nil
            case .same: false
            }
        if isBetter { extreme = value }
    }

    /// The value, as ``Aggregate`` defines it, or `nil` if it is not a number, such as the sum of both infinities.
    public var result: FieldValue? {
        switch aggregate {
        case .minimum, .maximum: return extreme
        case .sum:
            if otherSum == nil, let whole = Int64(exactly: wholeSum) { return .int64(whole) }
            return roundedSum.isNaN ? nil : .double(roundedSum)
        case .average:
            if count == 0 || roundedSum.isNaN { return nil }
            return .double(roundedSum / Double(count))
        }
    }

    /// The nearest `Double` to the sum.
    private var roundedSum: Double {
        var sum = otherSum ?? ExactSum()
        sum.add(wholeSum)
        return sum.value
    }
}

extension Aggregate {
    /// Computes the aggregate of a field's values.
    ///
    /// - Parameter values: The values, in any order; `nil` is ignored.
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``AggregateAccumulator/add(_:)`` does.
    /// - Complexity: O(*n*) in the number of values.
    public func value(of values: some Sequence<FieldValue?>) throws -> FieldValue? {
        var accumulator = AggregateAccumulator(self)
        for value in values { try accumulator.add(value) }
        return accumulator.result
    }

    /// Whether values of a type can be added.
    func accepts(_ type: FieldType) -> Bool {
        if type.isList { return false }
        return switch type.scalar {
        case .int64, .double: true
        case .string, .timestamp, .bytes: self == .minimum || self == .maximum
        case .reference, .location, .asset: false
        }
    }

    /// The values that the aggregate takes, as the beginning of a sentence.
    var expectation: String {
        switch self {
        case .sum: "A sum takes numbers"
        case .average: "An average takes numbers"
        case .minimum: "A minimum is found among text, numbers, dates and bytes"
        case .maximum: "A maximum is found among text, numbers, dates and bytes"
        }
    }
}
