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

    /// Combines the bits with those of a set of the same limit.
    mutating func combine(with other: NumberSet, _ combined: (UInt64, UInt64) -> UInt64) {
        for index in bits.indices { bits[index] = combined(bits[index], other.bits[index]) }
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
