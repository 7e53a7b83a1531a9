/// The positions of the values in a valid JSON text, found without the reader that is under test.
struct JSONSpans {
    /// A value, with the key of a member of an object.
    struct Span: Hashable {
        /// The bytes of the key with its quotation marks; `nil` for an element of an array.
        var key: Range<Int>?
        var value: Range<Int>
        var depth: Int
    }

    /// The values, each before those within it.
    private(set) var spans: [Span] = []

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        read(key: nil, depth: 0)
    }

    private mutating func read(key: Range<Int>?, depth: Int) {
        skipSpace()
        let (start, index) = (position, spans.count)
        spans.append(Span(key: key, value: start..<start, depth: depth))
        switch bytes[position] {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = bytes[position] == UInt8(ascii: "{")
            position += 1
            skipSpace()
            while bytes[position] != UInt8(ascii: "}"), bytes[position] != UInt8(ascii: "]") {
                let key = isObject ? readText() : nil
                skipSpace()
                if isObject { position += 1 }
                read(key: key, depth: depth + 1)
                skipSpace()
                if bytes[position] == UInt8(ascii: ",") { position += 1 }
                skipSpace()
            }
            position += 1
        case UInt8(ascii: "\""): _ = readText()
        default:
            while position < bytes.count, !",]} \n".utf8.contains(bytes[position]) { position += 1 }
        }
        spans[index].value = start..<position
    }

    private mutating func readText() -> Range<Int> {
        let start = position
        position += 1
        while bytes[position] != UInt8(ascii: "\"") { position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1 }
        position += 1
        return start..<position
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position] == UInt8(ascii: " ") || bytes[position] == UInt8(ascii: "\n") {
            position += 1
        }
    }
}

/// A JSON text with a value on each line, which the golden files have, and without spaces, which the coding has.
enum JSONLayout {
    /// Returns the text with a value on each line.
    static func readable(_ json: [UInt8]) -> String {
        var lines = [""]
        var depth = 0
        func newLine() { lines.append(String(repeating: "  ", count: depth)) }
        func isEmpty(at position: Int) -> Bool { "{[".utf8.contains(json[position - 1]) }
        forEachByte(of: json) { position, byte, isInText in
            let character = Unicode.Scalar(byte)
            if !isInText, "}]".unicodeScalars.contains(character), !isEmpty(at: position) {
                depth -= 1
                newLine()
            }
            lines[lines.count - 1].unicodeScalars.append(character)
            if isInText { return }
            if "{[".unicodeScalars.contains(character), !"}]".utf8.contains(json[position + 1]) {
                depth += 1
                newLine()
            }
            if character == "," { newLine() }
            if character == ":" { lines[lines.count - 1] += " " }
        }
        // Each byte of a text became a scalar.
        return String(decoding: lines.joined(separator: "\n").unicodeScalars.map { UInt8($0.value) }, as: UTF8.self)
            + "\n"
    }

    /// Returns the text without spaces and line breaks between its values.
    static func compact(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        forEachByte(of: bytes) { _, byte, isInText in
            if isInText || byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\n") { result.append(byte) }
        }
        return result
    }

    /// Returns the members of an object.
    static func members(_ object: [UInt8]) -> [(name: String, value: [UInt8])] {
        JSONSpans(object).spans.filter { $0.depth == 1 }.compactMap { span in
            span.key.map { key in
                (String(decoding: object[key].dropFirst().dropLast(), as: UTF8.self), Array(object[span.value]))
            }
        }
    }

    private static func forEachByte(of bytes: [UInt8], _ body: (Int, UInt8, _ isInText: Bool) -> Void) {
        var isInText = false
        var isEscaped = false
        for (position, byte) in bytes.enumerated() {
            let isQuote = byte == UInt8(ascii: "\"") && !isEscaped
            body(position, byte, isInText || isQuote)
            isEscaped = isInText && byte == UInt8(ascii: "\\") && !isEscaped
            if isQuote { isInText.toggle() }
        }
    }
}
