import Foundation

extension FieldValue {
    /// A number that says roughly where the value lies among all others, and is compared much faster than the value.
    ///
    /// Values that the filter language holds equal have the same rank, and of two that it orders the first has no higher rank than the
    /// second. Kinds of values follow each other as they do when records are sorted. Different values may have the same rank, so
    /// equal ranks decide nothing. None has the rank ``rankOfNil``.
    var rank: UInt64 {
        switch self {
        case .int64(let number): Rank.number.holding(Self.bits(of: Double(number)))
        case .double(let number): Rank.number.holding(Self.bits(of: number))
        case .string(let text): Rank.text.holding(text.withScalars { Self.beginning(of: UnsafeRawBufferPointer($0)) })
        case .timestamp(let date): Rank.date.holding(Self.bits(of: date.timeIntervalSinceReferenceDate))
        case .bytes(let bytes): Rank.bytes.holding(bytes.withUnsafeBytes(Self.beginning))
        // References have no order, and the names that programs make up begin alike.
        case .reference(let reference): Rank.reference.holding(reference.recordID.recordName.withScalars(Self.digest))
        case .location, .asset, .list: Rank.other.holding(0)
        }
    }

    /// The rank where there is no value.
    static let rankOfNil: UInt64 = 0

    /// Where the ranks of all values of the same kind lie.
    var ranksOfKind: ClosedRange<UInt64> {
        let kind = rank & ~Rank.room
        return kind...kind | Rank.room
    }

    /// Where the ranks of texts lie that begin with one.
    static func ranks(ofTextBeginningWith beginning: String) -> ClosedRange<UInt64> {
        let first = FieldValue.string(beginning).rank
        let rest = UInt64.max >> UInt64(8 * min(beginning.utf8.count, 8))
        return first...first | Rank.text.holding(rest)
    }

    /// A rank for sorting: references are sorted by name, of which their own rank says nothing.
    var sortingRank: UInt64 {
        if case .reference = self { Rank.reference.holding(0) } else { rank }
    }

    /// What the first bits of a rank say: the kind of the value.
    private enum Rank: UInt64 {
        case number = 1
        case text, date, bytes, reference, other

        private static let bitCount: UInt64 = 3

        /// The bits of a rank that are not the kind.
        static let room = UInt64.max >> bitCount

        /// The rank of a value of the kind that has these bits.
        func holding(_ bits: UInt64) -> UInt64 { rawValue << (64 - Self.bitCount) | bits >> Self.bitCount }
    }

    /// The bits of a number, changed so that they are in the order of the numbers; what is not a number comes first.
    private static func bits(of number: Double) -> UInt64 {
        if number.isNaN { return 0 }
        // Zero has two signs and one place.
        let bits = number == 0 ? 0 : number.bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    /// The first eight bytes as a number.
    private static func beginning(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        let number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        return bytes.isEmpty ? 0 : number << UInt64(8 * (8 - bytes.count))
    }

    /// A number that is made of all bytes.
    private static func digest(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let bytes = UnsafeRawBufferPointer(bytes)
        var digest = UInt64(bytes.count)
        func add(_ word: UInt64) {
            digest = (digest ^ word) &* 0x9E37_79B9_7F4A_7C15
            digest ^= digest >> 32
        }
        for start in stride(from: 0, through: bytes.count - 8, by: 8) {
            add(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
        for byte in bytes.suffix(bytes.count % 8) { add(UInt64(byte)) }
        return digest
    }
}
