/// One pass over a JSON text that checks it and finds its tokens.
struct JSONScan {
    private typealias Token = JSONTokens.Token

    private var tokens: [JSONTokens.Token] = []
    /// The tokens of the containers that are open.
    private var open: [Int] = []
    private var position = 0

    /// Returns the tokens of a text.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` at the first fault.
    mutating func tokens(of text: UnsafeBufferPointer<UInt8>) throws(CabinetError) -> [JSONTokens.Token] {
        tokens.reserveCapacity(text.count / 12 + 16)
        try value(in: text)
        while let container = open.last {
            skipSpace(in: text)
            let isObject = tokens[container].kind == .object
            let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
            let byte = try next(in: text, expected: "',' or the end of the container")
            if byte == end {
                // A comma before the end was refused by the value that must follow it.
                position += 1
                try close(container, in: text)
                continue
            }
            if tokens[container].end > 0 {
                guard byte == UInt8(ascii: ",") else { throw fault("expected ',' or the end of the container") }
                position += 1
                skipSpace(in: text)
            }
            tokens[container].end += 1
            if isObject {
                guard try next(in: text, expected: "a key") == UInt8(ascii: "\"") else { throw fault("expected a key") }
                try string(in: text)
                skipSpace(in: text)
                guard try next(in: text, expected: "':'") == UInt8(ascii: ":") else { throw fault("expected ':'") }
                position += 1
            }
            try value(in: text)
        }
        skipSpace(in: text)
        if position < text.count { throw fault("expected nothing after the value") }
        try append(.end, from: position, to: position)
        return tokens
    }

    private mutating func value(in text: UnsafeBufferPointer<UInt8>) throws(CabinetError) {
        skipSpace(in: text)
        switch try next(in: text, expected: "a value") {
        case UInt8(ascii: "{"): try openContainer(.object)
        case UInt8(ascii: "["): try openContainer(.array)
        case UInt8(ascii: "\""): try string(in: text)
        case UInt8(ascii: "t"): try word("true", .yes, in: text)
        case UInt8(ascii: "f"): try word("false", .no, in: text)
        case UInt8(ascii: "n"): try word("null", .null, in: text)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(in: text)
        default: throw fault("expected a value")
        }
    }

    private mutating func openContainer(_ kind: JSONTokens.Kind) throws(CabinetError) {
        guard open.count < JSONTokens.maximumDepth else {
            throw fault("more than \(JSONTokens.maximumDepth) containers are within each other")
        }
        open.append(tokens.count)
        try append(kind, from: position, to: 0)
        position += 1
    }

    private mutating func close(_ container: Int, in text: UnsafeBufferPointer<UInt8>) throws(CabinetError) {
        open.removeLast()
        tokens[container].next = UInt32(tokens.count)
        if tokens[container].kind == .object, tokens[container].end > 1 { try checkKeys(of: container, in: text) }
    }

    private mutating func append(_ kind: JSONTokens.Kind, from start: Int, to end: Int) throws(CabinetError) {
        if tokens.count == tokens.capacity { try grow() }
        tokens.append(
            Token(kind: kind, start: UInt32(start), end: UInt32(end), next: UInt32(tokens.count + 1)))
    }

    /// Makes room for twice as many tokens.
    @inline(never)
    private mutating func grow() throws(CabinetError) {
        try ServerCoding.current?.reserve(tokens.capacity * MemoryLayout<Token>.stride)
        tokens.reserveCapacity(tokens.capacity * 2)
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONTokens.Kind, in text: UnsafeBufferPointer<UInt8>
    ) throws(CabinetError) {
        let end = position + word.utf8CodeUnitCount
        let isEqual =
            end <= text.count
            && word.withUTF8Buffer { $0.elementsEqual(UnsafeBufferPointer(rebasing: text[position..<end])) }
        guard isEqual else { throw fault("expected a value") }
        try append(kind, from: position, to: end)
        position = end
    }

    private mutating func number(in text: UnsafeBufferPointer<UInt8>) throws(CabinetError) {
        let start = position
        if text[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        try digits(in: text)
        if text[first] == UInt8(ascii: "0"), position > first + 1 { throw fault("a number begins with 0") }
        var kind = JSONTokens.Kind.integer
        if position < text.count, text[position] == UInt8(ascii: ".") {
            kind = .number
            position += 1
            try digits(in: text)
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            kind = .number
            position += 1
            if position < text.count, text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") {
                position += 1
            }
            try digits(in: text)
        }
        try append(kind, from: start, to: position)
    }

    private mutating func digits(in text: UnsafeBufferPointer<UInt8>) throws(CabinetError) {
        let start = position
        while position < text.count, text[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        if position == start { throw fault("expected a digit") }
    }

    private mutating func string(in text: UnsafeBufferPointer<UInt8>) throws(CabinetError) {
        position += 1
        let start = position
        var isASCII = true
        var kind = JSONTokens.Kind.text
        while true {
            guard position < text.count else { throw fault("a text has no end") }
            let byte = text[position]
            if byte == UInt8(ascii: "\"") { break }
            if byte < 0x20 { throw fault("a text has a control character that is not escaped") }
            if byte == UInt8(ascii: "\\") {
                kind = .escapedText
                try escape(in: text)
                continue
            }
            if byte >= 0x80 { isASCII = false }
            position += 1
        }
        if !isASCII, !UTF8Check.isValid(UnsafeBufferPointer(rebasing: text[start..<position])) {
            position = start
            throw fault("a text is not valid UTF-8")
        }
        try append(kind, from: start, to: position)
        position += 1
    }

    /// Passes an escape sequence, or the two of a surrogate pair.
    private mutating func escape(in text: UnsafeBufferPointer<UInt8>) throws(CabinetError) {
        guard position + 1 < text.count else { throw fault("a text has no end") }
        switch text[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            let unit = try JSONEscape.unit(at: position, in: text)
            position += 6
            if unit & 0xF800 == 0xD800 {
                guard unit < 0xDC00, let second = try? JSONEscape.unit(at: position, in: text),
                    second & 0xFC00 == 0xDC00
                else { throw fault("an escape is half of a surrogate pair") }
                position += 6
            }
        default: throw fault("a text has an unknown escape")
        }
    }

    /// Refuses an object with two equal keys.
    private func checkKeys(of container: Int, in text: UnsafeBufferPointer<UInt8>) throws(CabinetError) {
        var keys = Set<ScalarText>()
        var isCertain = true
        var seen: UInt64 = 0
        var key = container + 1
        // Lengths and last bytes differ in most objects, which shows that the keys do.
        while key < tokens[container].next {
            let token = tokens[key]
            let length = token.end - token.start
            let last = length == 0 ? 0 : UInt32(text[Int(token.end) - 1])
            let bit: UInt64 = 1 << UInt64((length &* 7 &+ last) & 63)
            if seen & bit != 0 || token.kind == .escapedText { isCertain = false }
            seen |= bit
            key = Int(tokens[key + 1].next)
        }
        if isCertain { return }
        key = container + 1
        while key < tokens[container].next {
            let name = JSONEscape.text(of: tokens[key], in: text)
            guard keys.insert(ScalarText(text: name)).inserted else {
                var error = fault("the key '\(name.prefix(255))' is repeated", at: Int(tokens[key].start))
                error.fieldKey = String(name.prefix(255))
                throw error
            }
            key = Int(tokens[key + 1].next)
        }
    }

    private mutating func skipSpace(in text: UnsafeBufferPointer<UInt8>) {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    private func next(in text: UnsafeBufferPointer<UInt8>, expected: String) throws(CabinetError) -> UInt8 {
        guard position < text.count else { throw fault("the text ends; expected \(expected)") }
        return text[position]
    }

    private func fault(_ message: String, at offset: Int? = nil) -> CabinetError {
        JSONEscape.fault(message, at: offset ?? position)
    }
}
