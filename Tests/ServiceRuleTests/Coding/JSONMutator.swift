import CabinetTesting

/// Makes hostile texts of valid ones.
struct JSONMutator {
    /// Texts whose parts are put into others.
    let texts: [[UInt8]]
    private var random: SeededGenerator

    /// Each kind is tried equally often.
    enum Kind: CaseIterable {
        case flip, cut, remove, insert, repeatPart, rawBytes
        case repeatKey, unknownKey, missingKey, renamedKey
        case otherKind, otherPart, number, text, deep, wide
    }

    init(texts: [[UInt8]], seed: UInt64) {
        self.texts = texts
        random = SeededGenerator(seed: seed)
    }

    /// Returns a hostile text.
    mutating func mutated(_ json: [UInt8], _ kind: Kind) -> [UInt8] {
        var bytes = json
        let spans = JSONSpans(json).spans
        let members = spans.filter { $0.key != nil }
        guard let span = spans.randomElement(using: &random) else { return bytes }
        let (start, end) = randomRange(bytes.count)
        switch kind {
        case .flip: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .cut: bytes.removeLast(bytes.count - start)
        case .remove: bytes.removeSubrange(start..<end)
        case .insert: bytes.insert(pick(Array("{}[]\",:\\-0eE.nt \u{0}".utf8)), at: start)
        case .repeatPart: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case .rawBytes: bytes.insert(contentsOf: pick(Self.rawBytes), at: start)
        case .otherKind: bytes.replaceSubrange(span.value, with: pick(Self.values).utf8)
        case .otherPart:
            // Of another user, another request, or another part of this one.
            let other = pick(texts)
            guard let part = JSONSpans(other).spans.randomElement(using: &random) else { break }
            bytes.replaceSubrange(span.value, with: other[part.value])
        case .number:
            let numbers = spans.filter { "-0123456789".utf8.contains(json[$0.value.lowerBound]) }
            guard let span = numbers.randomElement(using: &random) else { break }
            bytes.replaceSubrange(span.value, with: pick(Self.numbers).utf8)
        case .text:
            let texts = spans.filter { json[$0.value.lowerBound] == UInt8(ascii: "\"") }
            guard let span = texts.randomElement(using: &random) else { break }
            bytes.replaceSubrange(span.value, with: pick(Self.texts).utf8)
        case .deep:
            let depth = pick([1, 63, 64, 65, 1000, 20_000])
            let (open, close) = pick([("[", "]"), (#"{"a":"#, "}"), (#"{"cause":"#, "}"), ("[", "")])
            let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            bytes.replaceSubrange(span.value, with: text.utf8)
        case .wide:
            let count = pick([2, 65, 5_000])
            bytes.replaceSubrange(
                span.value, with: "[\(repeatElement(pick(Self.values), count: count).joined(separator: ","))]".utf8)
        case .repeatKey, .unknownKey, .missingKey, .renamedKey:
            guard let member = members.randomElement(using: &random), let key = member.key else { break }
            let comma = UInt8(ascii: ",")
            switch kind {
            case .repeatKey:
                bytes.insert(contentsOf: json[key.lowerBound..<member.value.upperBound] + [comma], at: key.lowerBound)
            case .unknownKey: bytes.insert(contentsOf: Array(#""other":null,"#.utf8), at: key.lowerBound)
            case .missingKey:
                let isFollowed = json[member.value.upperBound] == comma
                bytes.removeSubrange(key.lowerBound..<member.value.upperBound + (isFollowed ? 1 : 0))
            default: bytes.replaceSubrange(key, with: pick(Self.texts).utf8)
            }
        }
        return bytes
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    private mutating func randomRange(_ count: Int) -> (Int, Int) {
        let start = Int.random(in: 0..<count, using: &random)
        return (start, min(count, start + Int.random(in: 1...40, using: &random)))
    }

    private static let rawBytes: [[UInt8]] = [
        [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80], [0xEF, 0xBB, 0xBF],
        [0],
    ]

    private static let values = [
        "null", "true", "false", "0", "-1", "1.5", #""""#, #""a""#, "[]", "{}", "[null]", #"{"a":1}"#, "[[]]",
        #"{"value":1,"error":1}"#, #"{"timestamp":"nan"}"#, #"{"name":"a","zone":"b"}"#, #"{"asset":"a:1"}"#,
    ]

    private static let numbers = [
        "0", "-0", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "1e308", "1e309", "-1e999", "1e-999", "0.1e1", "1E+2", "01", "1.", "--1", "1e",
        String(repeating: "9", count: 5_000),
        "0." + String(repeating: "1", count: 5_000), "1e99999999999999999999", #""nan""#, #""inf""#, #""-inf""#,
        #""NaN""#,
    ]

    private static let texts = [
        #""""#, #""_other""#, #""\ud800""#, #""\udc00\ud800""#, #""\ud83d\ude00""#, #""\u0000""#, #""\u00""#, #""\x""#,
        #""a == ""#, #""((((""#, #""name == \"a\"""#, #""NOT NOT NOT TRUEPREDICATE""#, #""nan""#, "\"\u{1}\"",
        #""../..""#,
        "\"\(String(repeating: "(", count: 5_000))\"", "\"\(String(repeating: "é", count: 5_000))\"",
        #""00112233-4455-4677-8899-AABBCCDDEEFF""#, #""QUJD""#, #""QUJ""#, #""LIST<STRING>""#, #""LIST<LIST<STRING>>""#,
        #""e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855:-1""#,
    ]
}
