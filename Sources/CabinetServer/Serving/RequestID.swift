import Synchronization

/// The IDs of requests: UUIDs (RFC 9562, version 8), which differ but need not be hard to guess.
///
/// Random bytes of the operating system would take longer than all else that a server does before it reads a request.
enum RequestID {
    private static let first = UInt64.random(in: .min ... .max)
    private static let count = Atomic<UInt64>(0)

    /// Returns an ID that no other request has, of this server or of another.
    static func make() -> String {
        let number = first &+ count.wrappingAdd(2, ordering: .relaxed).newValue
        return text(of: mixed(number) & ~0xF000 | 0x8000, mixed(number &+ 1) & ~(3 << 62) | 1 << 63)
    }

    /// Returns bits that seem random, different ones for each number (Steele, Lea and Flood, "SplitMix").
    private static func mixed(_ number: UInt64) -> UInt64 {
        var bits = number &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    private static func text(of high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 36) { characters in
            var position = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    characters[position] = UInt8(ascii: "-")
                    position += 1
                }
                let word = digit < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (digit & 15))) & 15
                characters[position] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
                position += 1
            }
            return position
        }
    }
}
