import Foundation

extension String {
    /// Whether the line has a word, by its bytes: a hundred times as fast as a regular expression, for the lines without it.
    func hasBytes(of word: String) -> Bool { strstr(self, word) != nil }
}

/// A Swift file, seen three ways: as written, without its comments, and without comments and the text of strings.
///
/// All three have the same lines, so that a line number has the same meaning in each of them.
struct SourceText {
    /// The path from the package's root, for messages.
    let path: String

    /// The lines as written.
    let lines: [String]

    /// The lines with every comment turned into spaces.
    let linesWithoutComments: [String]

    /// The lines with every comment and the text of every string literal turned into spaces.
    ///
    /// The text inside `\(…)` is code, and stays.
    let code: [String]

    init(path: String, text: String) {
        var lexer = Lexer(text)
        lexer.scan()
        self.path = path
        lines = Self.lines(of: Array(text.utf8))
        linesWithoutComments = Self.lines(of: lexer.blanking { $0 == .comment })
        code = Self.lines(of: lexer.blanking { $0 != .code })
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        var lines = bytes.split(separator: Lexer.newline, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true {
            lines.removeLast()
        }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Distinguishes code, comments and the text of literals, without parsing Swift further.
private struct Lexer {
    enum Kind {
        case code
        case literal
        case comment
    }

    static let newline = UInt8(ascii: "\n")

    private let bytes: [UInt8]
    private var kinds: [Kind]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
        kinds = Array(repeating: .code, count: bytes.count)
    }

    /// The bytes, with spaces instead of those of hidden kinds.
    func blanking(_ isHidden: (Kind) -> Bool) -> [UInt8] {
        zip(bytes, kinds).map { byte, kind in
            byte != Self.newline && isHidden(kind) ? UInt8(ascii: " ") : byte
        }
    }

    /// Classifies every byte.
    mutating func scan() {
        scanCode(insideInterpolation: false)
    }

    private mutating func scanCode(insideInterpolation: Bool) {
        var depth = 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                mark(.comment) { $0 != Self.newline }
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
                scanBlockComment()
            case UInt8(ascii: "/") where startsRegex():
                scanRegex(hashes: 0)
            case UInt8(ascii: "#"):
                let hashes = count(of: byte)
                position += hashes
                if peek() == UInt8(ascii: "\"") {
                    scanString(hashes: hashes)
                } else if peek() == UInt8(ascii: "/") {
                    scanRegex(hashes: hashes)
                }
            case UInt8(ascii: "\""):
                scanString(hashes: 0)
            case UInt8(ascii: ")") where insideInterpolation && depth == 0:
                position += 1
                return
            default:
                depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
                position += 1
            }
        }
    }

    private mutating func scanBlockComment() {
        var depth = 0
        repeat {
            if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                mark(.comment, count: 2)
            } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                mark(.comment, count: 2)
            } else {
                mark(.comment, count: 1)
            }
        } while depth > 0 && peek() != nil
    }

    private mutating func scanString(hashes: Int) {
        let quote = UInt8(ascii: "\"")
        let isMultiline = peek(1) == quote && peek(2) == quote
        let delimiter = isMultiline ? 3 : 1
        position += delimiter
        while let byte = peek() {
            if byte == quote, isMultiline ? peek(1) == quote && peek(2) == quote : true,
                count(of: UInt8(ascii: "#"), from: delimiter) >= hashes
            {
                position += delimiter + hashes
                return
            } else if byte == UInt8(ascii: "\\"), count(of: UInt8(ascii: "#"), from: 1) >= hashes {
                if peek(1 + hashes) == UInt8(ascii: "(") {
                    position += hashes + 2
                    scanCode(insideInterpolation: true)
                } else {
                    mark(.literal, count: hashes + 2)
                }
            } else if byte == Self.newline, !isMultiline {
                return
            } else {
                mark(.literal, count: 1)
            }
        }
    }

    private mutating func scanRegex(hashes: Int) {
        position += 1
        while let byte = peek() {
            if byte == UInt8(ascii: "/"), count(of: UInt8(ascii: "#"), from: 1) >= hashes {
                position += 1 + hashes
                return
            } else if byte == Self.newline, hashes == 0 {
                return
            }
            mark(.literal, count: byte == UInt8(ascii: "\\") ? 2 : 1)
        }
    }

    /// Whether the slash here begins a regex: it follows a token that an operand can follow, and another slash closes
    /// it.
    private func startsRegex() -> Bool {
        let before = bytes[..<position].last { $0 != UInt8(ascii: " ") } ?? Self.newline
        guard "(,=:[{\n".utf8.contains(before), let next = peek(1), next != UInt8(ascii: " ") else { return false }
        return bytes[(position + 1)...].prefix { $0 != Self.newline }.contains(UInt8(ascii: "/"))
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private func count(of byte: UInt8, from offset: Int = 0) -> Int {
        bytes.dropFirst(position + offset).prefix { $0 == byte }.count
    }

    private mutating func mark(_ kind: Kind, count: Int) {
        for _ in 0..<count where position < bytes.count {
            kinds[position] = kind
            position += 1
        }
    }

    private mutating func mark(_ kind: Kind, while condition: (UInt8) -> Bool) {
        while let byte = peek(), condition(byte) {
            mark(kind, count: 1)
        }
    }
}
