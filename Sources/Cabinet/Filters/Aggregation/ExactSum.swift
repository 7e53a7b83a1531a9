/// The exact sum of any number of floating-point numbers, in a fixed amount of memory.
///
/// Every finite `Double` is a multiple of the smallest one, 2 to the power of -1074. Their sum is therefore a whole
/// number of those, and is kept in digits to the base of 2 to the power of 32. Only the result is rounded, so the order
/// of the additions does not matter.
struct ExactSum: Sendable {
    /// The digits, least first.
    ///
    /// They are signed, and may exceed the base until the carries are made.
    private var digits: [Int64]
    /// The count of additions that are possible before a carry is necessary, so that no digit overflows.
    private var room = Self.maximalRoom

    private var hasPositiveInfinity = false
    private var hasNegativeInfinity = false
    private var hasNaN = false

    private static let base: Int64 = 1 << 32
    /// The number of digits that 2 to the power of 64 numbers of the largest exponent need.
    private static let digitCount = 68
    /// The exponent that the lowest bit of the lowest digit stands for.
    private static let lowestExponent = -1074
    private static let maximalRoom = 1 << 30

    init() {
        digits = [Int64](repeating: 0, count: Self.digitCount)
    }

    mutating func add(_ number: Double) {
        guard number.isFinite else {
            if number.isNaN {
                hasNaN = true
            } else if number > 0 {
                hasPositiveInfinity = true
            } else {
                hasNegativeInfinity = true
            }
            return
        }
        if number == 0 { return }
        let isSubnormal = number.exponentBitPattern == 0
        let significand = number.significandBitPattern | (isSubnormal ? 0 : 1 << UInt64(Double.significandBitCount))
        // A subnormal number has the exponent of the smallest normal one.
        add(significand, shiftedBy: isSubnormal ? 0 : Int(number.exponentBitPattern) - 1, isNegative: number < 0)
    }

    mutating func add(_ number: Int128) {
        let magnitude = number.magnitude
        let half = UInt128(UInt64.max)
        add(UInt64(truncatingIfNeeded: magnitude & half), shiftedBy: -Self.lowestExponent, isNegative: number < 0)
        add(
            UInt64(truncatingIfNeeded: magnitude >> 64), shiftedBy: -Self.lowestExponent + 64, isNegative: number < 0)
    }

    private mutating func add(_ significand: UInt64, shiftedBy shift: Int, isNegative: Bool) {
        if room == 0 { carry() }
        room -= 1
        let index = shift / 32
        let shifted = UInt128(significand) << UInt128(shift % 32)
        for offset in 0..<3 {
            let digit = Int64(UInt32(truncatingIfNeeded: shifted >> UInt128(32 * offset)))
            digits[index + offset] += isNegative ? -digit : digit
        }
    }

    /// Carries, so that every digit but the highest one is at least 0 and less than the base.
    private mutating func carry() {
        var carry: Int64 = 0
        for index in digits.indices.dropLast() {
            let sum = digits[index] + carry
            carry = sum >> 32
            digits[index] = sum & (Self.base - 1)
        }
        digits[Self.digitCount - 1] += carry
        room = Self.maximalRoom
    }

    /// The nearest `Double` to the sum, ties to even; not-a-number if both infinities are in it.
    var value: Double {
        if hasNaN || hasPositiveInfinity && hasNegativeInfinity { return .nan }
        if hasPositiveInfinity { return .infinity }
        if hasNegativeInfinity { return -.infinity }
        var sum = self
        sum.carry()
        let isNegative = (sum.digits.last ?? 0) < 0
        if isNegative {
            for index in sum.digits.indices { sum.digits[index].negate() }
            sum.carry()
        }
        return isNegative ? -sum.magnitude : sum.magnitude
    }

    /// The nearest `Double` to a sum whose digits are carried, and not negative.
    private var magnitude: Double {
        guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        let topBit = top * 32 + (63 - digits[top].leadingZeroBitCount)
        // The bits that a `Double` has room for, from the highest one, or from the lowest that there is.
        let lowBit = max(0, topBit - Double.significandBitCount)
        var significand: UInt64 = 0
        for bit in lowBit...topBit where self.bit(bit) { significand |= 1 << UInt64(bit - lowBit) }
        if lowBit > 0, bit(lowBit - 1), significand & 1 == 1 || hasBit(below: lowBit - 1) { significand += 1 }
        // Scaling turns numbers above the largest into infinity.
        return Double(sign: .plus, exponent: lowBit + Self.lowestExponent, significand: Double(significand))
    }

    private func bit(_ index: Int) -> Bool {
        digits[index / 32] >> Int64(index % 32) & 1 == 1
    }

    private func hasBit(below end: Int) -> Bool {
        digits[..<(end / 32)].contains { $0 != 0 } || digits[end / 32] & ((1 << Int64(end % 32)) - 1) != 0
    }
}
