import Foundation

/// Makes UUIDs of version 7 (RFC 9562), which sort by the time of their making.
enum TimeOrderedUUID {
    /// A new UUID: 48 bits of milliseconds since 1970, 12 bits of the fraction of the millisecond, 62 random bits.
    ///
    /// - Complexity: O(1); no state is shared between callers.
    static func next() -> UUID {
        make(at: Date(), random: .random(in: .min ... .max))
    }

    /// The UUID for a time and given random bits.
    static func make(at date: Date, random: UInt64) -> UUID {
        let milliseconds = max(0, min(date.timeIntervalSince1970 * 1000, 281_474_976_710_655))
        let whole = UInt64(milliseconds)
        let fraction = UInt64((milliseconds - milliseconds.rounded(.down)) * 4096) & 0x0FFF
        let high = whole << 16 | 0x7000 | fraction
        let low = random & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - index * 8)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
                byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }
}
