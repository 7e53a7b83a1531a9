import Cabinet
import CabinetTools
import Testing

@Suite("Random schema texts")
struct SchemaFuzzTests {
    private static let words =
        SchemaSamples.everything.split(separator: " ").map(String.init) + [
            "(", ")", ",", ";", "<", ">", "\"", "/*", "*/", "//", "--", "\n", "\0", "é", "UNIQUE", "INDEX", "ON",
            "DELETE",
            "DENY", "___modTime", "_", "9", String(repeating: "x", count: 300),
        ]

    @Test("Every text parses and survives printing, or is refused with a position", arguments: 0..<8)
    func fuzz(_ seed: Int) throws {
        var generator = SeededGenerator(state: UInt64(seed) &+ 1)
        var (accepted, refused) = (0, 0)
        for _ in 0..<400 {
            let text = Self.text(using: &generator)
            do throws(CabinetError) {
                let document = try SchemaDocument(parsing: text)
                #expect(try SchemaDocument(parsing: document.description) == document, "\(text)")
                #expect(
                    try SchemaDocument(parsing: SchemaDocument(document.schema).description).schema == document.schema)
                accepted += 1
            } catch {
                #expect(error.code == .invalidArguments)
                #expect(error.message.prefixMatch(of: #/[1-9]\d*:[1-9]\d*: /#) != nil, "\(error.message)")
                refused += 1
            }
        }
        #expect(accepted > 20)
        #expect(refused > 20)
    }

    /// A sample with a few parts removed, repeated, replaced or cut.
    private static func text(using generator: inout SeededGenerator) -> String {
        let samples = [SchemaSamples.coins, SchemaSamples.moreCoins, SchemaSamples.everything, SchemaSamples.additions]
        let sample = samples[Int.random(in: 0..<samples.count, using: &generator)]
        var parts = sample.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        for _ in 0..<Int.random(in: 0...3, using: &generator) where !parts.isEmpty {
            let position = Int.random(in: 0..<parts.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: parts.remove(at: position)
            case 1: parts.insert(parts[position], at: position)
            case 2: parts[position] = words[Int.random(in: 0..<words.count, using: &generator)]
            case 3: parts.insert(words[Int.random(in: 0..<words.count, using: &generator)], at: position)
            case 4: parts.swapAt(position, Int.random(in: 0..<parts.count, using: &generator))
            default: parts.removeSubrange(position...)
            }
        }
        return parts.joined(separator: " ")
    }
}

/// A generator whose numbers depend on its seed alone (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
