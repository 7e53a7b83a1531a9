import Cabinet

/// The words, names and signs of a text in the schema language, one after the other.
struct SchemaScanner {
    /// One part of the text.
    enum Token: Equatable {
        /// Letters, digits and underscores without quotes: a keyword or a name.
        case word(String)
        /// A name in double quotes.
        case quoted(String)
        /// One of `( ) , ; < >`.
        case sign(Character)
        /// The end of the text.
        case end
    }

    private let bytes: [UInt8]
    private var offset = 0

    /// The current part, which is not yet consumed.
    private(set) var token = Token.end

    /// The offset at which the current part begins.
    private(set) var start = 0

    init(_ text: String) throws(CabinetError) {
        // Reading the size first keeps a huge text from being copied.
        guard text.utf8.count <= SchemaDocument.maximumSize else {
            throw CabinetError(
                .limitExceeded,
                "The schema has \(text.utf8.count) bytes; expected at most \(SchemaDocument.maximumSize). Deploy it in parts."
            )
        }
        bytes = Array(text.utf8)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        try advance()
    }

    /// Moves to the next part.
    mutating func advance() throws(CabinetError) {
        try skipSpace()
        start = offset
        guard let byte = bytes.element(at: offset) else {
            token = .end
            return
        }
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"),
            UInt8(ascii: ">"):
            offset += 1
            token = .sign(Character(Unicode.Scalar(byte)))
        case UInt8(ascii: "\""): try scanQuoted()
        case _ where Self.isWord(byte):
            while let next = bytes.element(at: offset), Self.isWord(next) { offset += 1 }
            token = .word(String(decoding: bytes[start..<offset], as: UTF8.self))
        default:
            let character = String(decoding: bytes[start...].prefix(16), as: UTF8.self).prefix(1)
            throw error(
                "'\(character)' cannot stand here. Names consist of ASCII letters, digits and underscores.", at: start)
        }
    }

    private mutating func scanQuoted() throws(CabinetError) {
        offset += 1
        let first = offset
        while let byte = bytes.element(at: offset), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
            offset += 1
        }
        guard bytes.element(at: offset) == UInt8(ascii: "\"") else {
            throw error("This name has no closing quotation mark on its line.", at: start)
        }
        token = .quoted(String(decoding: bytes[first..<offset], as: UTF8.self))
        offset += 1
    }

    /// Skips white space and comments.
    private mutating func skipSpace() throws(CabinetError) {
        while let byte = bytes.element(at: offset) {
            let next = bytes.element(at: offset + 1)
            switch (byte, next) {
            case (UInt8(ascii: " "), _), (9...13, _): offset += 1
            case (UInt8(ascii: "/"), UInt8(ascii: "/")), (UInt8(ascii: "-"), UInt8(ascii: "-")):
                while let byte = bytes.element(at: offset), byte != UInt8(ascii: "\n") { offset += 1 }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                let opening = offset
                offset += 2
                while bytes.element(at: offset) != UInt8(ascii: "*")
                    || bytes.element(at: offset + 1) != UInt8(ascii: "/")
                {
                    guard offset < bytes.count else { throw error("This comment has no closing '*/'.", at: opening) }
                    offset += 1
                }
                offset += 2
            default: return
            }
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns an error about an offset of the text, as `line:column: message`.
    func error(_ message: String, at offset: Int) -> CabinetError {
        let before = bytes.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
        return CabinetError(.invalidArguments, "\(line):\(column): \(message)")
    }
}

extension [UInt8] {
    fileprivate func element(at index: Int) -> UInt8? { index < count ? self[index] : nil }
}

extension SchemaScanner.Token {
    /// The part for a message, shortened if it is long.
    var shown: String {
        switch self {
        case .word(let text): "'\(Self.shortened(text))'"
        case .quoted(let text): "'\"\(Self.shortened(text))\"'"
        case .sign(let sign): "'\(sign)'"
        case .end: "the end of the text"
        }
    }

    static func shortened(_ text: String) -> String {
        text.utf8.count > 60 ? "\(text.prefix(60))…" : text
    }
}
