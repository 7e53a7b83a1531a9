/// A set of small numbers, as bits.
struct NumberSet: Sendable {
    private var bits: [UInt64]

    /// Creates an empty set.
    ///
    /// - Parameter limit: The number above all numbers of the set.
    init(limit: Int) {
        bits = [UInt64](repeating: 0, count: limit / 64 + 1)
    }

    /// Adds numbers below the limit.
    mutating func insert(_ numbers: [UInt32]) {
        for number in numbers { bits[Int(number / 64)] |= 1 << UInt64(number % 64) }
    }

    /// Returns the numbers that are in this set or another one of the same limit.
    func union(_ other: NumberSet) -> NumberSet { combined(with: other) { $0 | $1 } }

    /// Returns the numbers that are also in another set of the same limit.
    func intersection(_ other: NumberSet) -> NumberSet { combined(with: other) { $0 & $1 } }

    /// Returns the numbers that are not in another set of the same limit.
    func subtracting(_ other: NumberSet) -> NumberSet { combined(with: other) { $0 & ~$1 } }

    private func combined(with other: NumberSet, _ combine: (UInt64, UInt64) -> UInt64) -> NumberSet {
        var result = self
        for index in bits.indices { result.bits[index] = combine(bits[index], other.bits[index]) }
        return result
    }

    /// The numbers in their order.
    var elements: [Int] {
        var elements: [Int] = []
        for index in bits.indices {
            var rest = bits[index]
            while rest != 0 {
                elements.append(index * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return elements
    }
}
