import Foundation

extension FieldValue {
    /// An approximation of the value's position among all others, which is compared much faster than the value.
    ///
    /// The rank of a value is at most that of any later value in the order. Different values may have the same rank, so
    /// equal ranks decide nothing. No value has the rank ``sortRankOfNil``.
    var sortRank: UInt64 {
        switch self {
        case .int64(let number): Rank.number.holding(Self.bits(of: Double(number)))
        case .double(let number): Rank.number.holding(Self.bits(of: number))
        case .string(let text): Rank.text.holding(text.withScalars { Self.beginning(of: UnsafeRawBufferPointer($0)) })
        case .timestamp(let date): Rank.date.holding(Self.bits(of: date.timeIntervalSinceReferenceDate))
        case .bytes(let bytes): Rank.bytes.holding(bytes.withUnsafeBytes(Self.beginning))
        // Generated names often have the same beginning.
        case .reference: Rank.reference.holding(0)
        case .location, .asset, .list, .encrypted: Rank.other.holding(0)
        }
    }

    /// The rank of nil.
    static let sortRankOfNil: UInt64 = 0

    /// The first bits of a rank: the kind of the value.
    private enum Rank: UInt64 {
        case number = 1
        case text, date, bytes, reference, other

        private static let bitCount: UInt64 = 3

        /// The rank of a value of the kind that has these bits.
        func holding(_ bits: UInt64) -> UInt64 { rawValue << (64 - Self.bitCount) | bits >> Self.bitCount }
    }

    /// The bits of a number, changed so that they are in the order of the numbers; what is not a number comes first.
    private static func bits(of number: Double) -> UInt64 {
        if number.isNaN { return 0 }
        // The two zeros have one rank.
        let bits = number == 0 ? 0 : number.bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    /// The first eight bytes as a number.
    private static func beginning(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        let number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        return bytes.isEmpty ? 0 : number << UInt64(8 * (8 - bytes.count))
    }
}
