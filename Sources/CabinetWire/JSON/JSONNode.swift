package import Cabinet

/// A value of a checked JSON text, read in any order, with keys that the reader does not know passed over.
package struct JSONNode: Sendable {
    let text: JSONText
    let position: Int

    init(text: JSONText, position: Int) {
        self.text = text
        self.position = position
    }

    /// The kind of the value.
    package var kind: JSONTokens.Kind { text.tokens[position].kind }

    /// Whether the value is null.
    package var isNull: Bool { kind == .null }

    /// The number of elements of an array, or of members of an object; 0 for other values.
    package var count: Int {
        let token = text.tokens[position]
        return token.kind == .array || token.kind == .object ? Int(token.end) : 0
    }

    /// Returns the value of a member; `nil` if the object does not have it, or it is null, or the value is not an object.
    package subscript(key: StaticString) -> JSONNode? {
        let tokens = text.tokens
        guard tokens[position].kind == .object else { return nil }
        let end = Int(tokens[position].next)
        var member = position + 1
        while member < end {
            let value = member + 1
            if isKey(tokens[member], key) {
                return tokens[value].kind == .null ? nil : JSONNode(text: text, position: value)
            }
            member = Int(tokens[value].next)
        }
        return nil
    }

    /// Whether the object has a member, which may be null.
    package func has(_ key: StaticString) -> Bool {
        Values(of: self, if: .object).contains { isKey(text.tokens[$0.position - 1], key) }
    }

    private func isKey(_ token: JSONTokens.Token, _ key: StaticString) -> Bool {
        let length = Int(token.end - token.start)
        if token.kind == .escapedText { return text.string(of: token) == "\(key)" }
        guard length == key.utf8CodeUnitCount else { return false }
        return text.bytes.withUnsafeBufferPointer { bytes in
            key.withUTF8Buffer { key in
                for index in 0..<length where bytes[Int(token.start) + index] != key[index] { return false }
                return true
            }
        }
    }

    /// The members of an object, in the order of the text; none for another value.
    package var members: LazyMapSequence<Values, (key: String, value: JSONNode)> {
        Values(of: self, if: .object).lazy.map { ($0.text.string(of: $0.text.tokens[$0.position - 1]), $0) }
    }

    /// The elements of an array; none for another value.
    package var elements: Values { Values(of: self, if: .array) }

    /// Returns the error for a value that is not the expected one, with the value's path.
    ///
    /// - Parameter expected: A noun phrase.
    package func error(expected: String) -> CabinetError {
        let path = text.path(of: position)
        return CabinetError(
            .invalidArguments,
            path.isEmpty
                ? "The JSON text is not valid: expected \(expected)."
                : "'\(path.prefix(500))' is not valid: expected \(expected).")
    }

    /// Returns the error for a member that an object lacks.
    package func missing(_ key: StaticString) -> CabinetError {
        let path = text.path(of: position)
        let name = path.isEmpty ? "\(key)" : "\(path.prefix(500)).\(key)"
        return CabinetError(.invalidArguments, "'\(name)' is missing.")
    }
}

extension JSONNode {
    /// The values in an array or an object.
    package struct Values: Sequence, IteratorProtocol {
        private let text: JSONText
        private var position: Int
        private let end: Int
        /// The number of tokens before each value: an object has a key there.
        private let keys: Int

        fileprivate init(of node: JSONNode, if kind: JSONTokens.Kind) {
            text = node.text
            let token = text.tokens[node.position]
            keys = kind == .object ? 1 : 0
            position = node.position + 1 + keys
            end = token.kind == kind ? Int(token.next) : 0
        }

        /// Returns the next value.
        package mutating func next() -> JSONNode? {
            guard position < end else { return nil }
            defer { position = Int(text.tokens[position].next) + keys }
            return JSONNode(text: text, position: position)
        }
    }
}
