import Foundation

/// Reads the values of a JSON text that was checked as a whole.
///
/// Each call reads the value at the reader's position, or throws without reading it.
struct JSONReader {
    private let bytes: [UInt8]
    private let tokens: [JSONTokens.Token]
    private var position = 0
    private var object = OpenObject()

    /// The names of the fields that were read last: adjacent records mostly have the same.
    var fieldNames = FieldNames.empty

    /// The type and users of the record that was read last.
    private var attribution = StoredRecord.blank.attribution

    /// The members of the object that is being read.
    private struct OpenObject {
        var first = 0
        var end = 0
        /// The key after the one that was read last.
        var next = 0
        var ordinal = 0
        /// The members that were read, by ordinal.
        var read: UInt64 = 0
        var count = 0
    }

    /// Checks a text, and creates a reader of its value.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the text is not strict JSON, ``CabinetError/Code/limitExceeded`` if it is too long.
    init(_ bytes: [UInt8]) throws(CabinetError) {
        let text = try JSONTokens(bytes)
        self.bytes = text.bytes
        tokens = text.tokens
    }

    private var token: JSONTokens.Token { tokens[position] }

    // MARK: Containers

    /// Reads an object by its keys; a key that `body` does not ask for is refused.
    mutating func object<Output>(
        _ body: (inout JSONReader) throws(CabinetError) -> Output
    ) throws(CabinetError) -> Output {
        guard token.kind == .object else { throw unexpected("an object") }
        let (outer, end) = (object, Int(token.next))
        object = OpenObject(first: position + 1, end: end, next: position + 1, count: Int(token.end))
        guard object.count <= 64 else { throw unexpected("an object with at most 64 keys") }
        let output = try body(&self)
        if object.read.nonzeroBitCount < object.count { throw unknownKey() }
        object = outer
        position = end
        return output
    }

    /// Reads the member of an object with a key, or returns `false` if the object has none or it is null.
    mutating func member(
        _ key: StaticString, _ body: (inout JSONReader) throws(CabinetError) -> Void
    ) throws(CabinetError) -> Bool {
        guard let value = find(key) else { return false }
        position = value
        if token.kind == .null { return false }
        try body(&self)
        return true
    }

    /// Reads the members of an object whose keys a user chose.
    mutating func members(
        _ body: (inout JSONReader, _ key: String) throws(CabinetError) -> Void
    ) throws(CabinetError) {
        guard token.kind == .object else { throw unexpected("an object") }
        let end = Int(token.next)
        position += 1
        while position < end {
            let key = text(of: token)
            position += 1
            let next = Int(token.next)
            try body(&self, key)
            position = next
        }
        position = end
    }

    /// Reads the elements of an array.
    mutating func array(
        _ body: (inout JSONReader) throws(CabinetError) -> Void
    ) throws(CabinetError) {
        guard token.kind == .array else { throw unexpected("an array") }
        let end = Int(token.next)
        position += 1
        while position < end {
            let next = Int(token.next)
            try body(&self)
            position = next
        }
        position = end
    }

    /// The number of members or elements of the container at the position.
    var count: Int {
        token.kind == .array || token.kind == .object ? Int(token.end) : 0
    }

    /// The kind of the value at the position.
    var kind: JSONTokens.Kind { token.kind }

    // MARK: Values

    mutating func readText() throws(CabinetError) -> String {
        guard token.kind == .text || token.kind == .escapedText else { throw unexpected("a text") }
        defer { position += 1 }
        return text(of: token)
    }

    mutating func readInt64() throws(CabinetError) -> Int64 {
        guard token.kind == .integer, let number = token.integer(in: bytes) else {
            throw unexpected("an integer of 64 bits")
        }
        position += 1
        return number
    }

    /// Reads a number, or the text of one that is not finite.
    mutating func readDouble() throws(CabinetError) -> Double {
        let number: Double? =
            switch token.kind {
            case .number, .integer: Double(text(of: token)).flatMap { $0.isFinite ? $0 : nil }
            case .text: Self.specialNumbers[text(of: token)]
            default: nil
            }
        guard let number else { throw unexpected("a number") }
        position += 1
        return number
    }

    private static let specialNumbers: [String: Double] = ["inf": .infinity, "-inf": -.infinity, "nan": .nan]

    mutating func readBool() throws(CabinetError) -> Bool {
        guard token.kind == .yes || token.kind == .no else { throw unexpected("true or false") }
        defer { position += 1 }
        return token.kind == .yes
    }

    /// Reads bytes in Base64.
    mutating func readData() throws(CabinetError) -> Data {
        guard token.kind == .text,
            let data = Data(base64Encoded: Data(bytes[Int(token.start)..<Int(token.end)]))
        else { throw unexpected("bytes in Base64") }
        position += 1
        return data
    }

    /// Passes a null, or returns `false` if the value is another one.
    mutating func readNull() -> Bool {
        guard token.kind == .null else { return false }
        position += 1
        return true
    }

    /// Returns the error for a value of another kind than the expected one.
    func unexpected(_ expected: String) -> CabinetError {
        JSONEscape.fault("expected \(expected)", at: Int(token.start))
    }
}

extension JSONReader {
    /// Returns the position of the value with a key, and marks it as read.
    private mutating func find(_ key: StaticString) -> Int? {
        // Keys mostly arrive in the order in which they are read.
        var position = object.next
        var ordinal = object.ordinal
        if position >= object.end || !matches(tokens[position], key) {
            (position, ordinal) = (object.first, 0)
            while position < object.end, !matches(tokens[position], key) {
                position = Int(tokens[position + 1].next)
                ordinal += 1
            }
            guard position < object.end else { return nil }
        }
        object.next = Int(tokens[position + 1].next)
        object.ordinal = ordinal + 1
        object.read |= 1 << UInt64(ordinal)
        return position + 1
    }

    private func matches(_ token: JSONTokens.Token, _ key: StaticString) -> Bool {
        let length = Int(token.end - token.start)
        guard length == key.utf8CodeUnitCount else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            key.withUTF8Buffer { key in
                guard let key = key.baseAddress, let text = bytes.baseAddress else { return true }
                return memcmp(key, text + Int(token.start), length) == 0
            }
        }
    }

    /// Returns whether the key or text at a token has just these bytes.
    func isText(_ position: Int, _ text: String) -> Bool {
        let token = tokens[position]
        return token.kind == .text
            && bytes.withUnsafeBufferPointer {
                text.hasScalars(UnsafeBufferPointer(rebasing: $0[Int(token.start)..<Int(token.end)]))
            }
    }

    private func text(of token: JSONTokens.Token) -> String {
        bytes.withUnsafeBufferPointer { JSONEscape.text(of: token, in: $0) }
    }

    /// Returns the error for a part that the object lacks.
    func missing(_ key: StaticString) -> CabinetError {
        JSONEscape.fault("expected an object with the key '\(key)'", at: Int(tokens[max(object.first - 1, 0)].start))
    }

    private func unknownKey() -> CabinetError {
        var key = object.first
        for ordinal in 0..<object.count {
            if object.read & 1 << UInt64(ordinal) == 0 { break }
            key = Int(tokens[key + 1].next)
        }
        return JSONEscape.fault(
            "the key '\(text(of: tokens[key]).prefix(255))' is unknown", at: Int(tokens[key].start))
    }

    /// Returns the type, users, parent and share of a record, which are shared with the record before if they are the same.
    mutating func attribution(
        _ type: String, _ creator: String, _ modifier: String, _ parent: String?, _ share: String?
    ) -> StoredRecord.Attribution {
        let new = StoredRecord.Attribution(
            recordType: type, creatorName: creator, lastModifierName: modifier, parentName: parent, shareName: share)
        if new != attribution { attribution = new }
        return attribution
    }

    /// Reads the names of the members of an object, which are shared with the record before if they are the same.
    mutating func readFieldNames() throws(CabinetError) -> FieldNames {
        guard token.kind == .object else { throw unexpected("an object") }
        let end = Int(token.next)
        if fieldNames.count == token.end {
            var key = position + 1
            var isSame = true
            for name in fieldNames.names where isSame {
                isSame = isText(key, name)
                key = Int(tokens[key + 1].next)
            }
            if isSame { return fieldNames }
        }
        var names: [String] = []
        names.reserveCapacity(Int(token.end))
        var key = position + 1
        while key < end {
            names.append(text(of: tokens[key]))
            key = Int(tokens[key + 1].next)
        }
        fieldNames = FieldNames.known(names)
        return fieldNames
    }

    /// Reads the values of the members of an object, without their keys.
    mutating func memberValues(
        _ body: (inout JSONReader) throws(CabinetError) -> Void
    ) throws(CabinetError) {
        let end = Int(token.next)
        position += 1
        while position < end {
            position += 1
            let next = Int(token.next)
            try body(&self)
            position = next
        }
        position = end
    }
}
