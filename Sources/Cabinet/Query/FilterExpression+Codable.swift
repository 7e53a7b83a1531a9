/// An expression is coded like a filter: as a flat array, the elements of a list before the list.
extension Filter.Expression {
    private enum Node: Codable {
        case field(String)
        case constant(FieldValue?)
        case list(Int)
        case unstorable(String)

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case field
            case constant
            case list
            case unstorable
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard let key = container.allKeys.first, container.allKeys.count == 1 else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: container.codingPath,
                        debugDescription: "expected one of \(CodingKeys.allCases.map(\.rawValue))"))
            }
            self =
                switch key {
                case .field: .field(try container.decode(String.self, forKey: key))
                case .constant: .constant(try container.decode(FieldValue?.self, forKey: key))
                case .list: .list(try container.decode(Int.self, forKey: key))
                case .unstorable: .unstorable(try container.decode(String.self, forKey: key))
                }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .field(let key): try container.encode(key, forKey: .field)
            case .constant(let value): try container.encode(value, forKey: .constant)
            case .list(let count): try container.encode(count, forKey: .list)
            case .unstorable(let text): try container.encode(text, forKey: .unstorable)
            }
        }
    }

    /// Decodes an expression.
    ///
    /// - Throws: `DecodingError` if the data is no expression, or one deeper than ``Filter/maximumDepth``.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var stack = CodedTreeStack<Self>(codingPath: container.codingPath)
        while !container.isAtEnd {
            switch try container.decode(Node.self) {
            case .field(let key): try stack.push(.field(key), depth: 0)
            case .constant(let value): try stack.push(.constant(value), depth: 0)
            case .list(let count): try stack.join(count) { .list($0) }
            case .unstorable(let text): try stack.push(.unstorable(text), depth: 0)
            }
        }
        self = try stack.root()
    }

    /// Encodes the expression.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try encode(into: &container)
    }

    private func encode(into container: inout any UnkeyedEncodingContainer) throws {
        switch self {
        case .field(let key): try container.encode(Node.field(key))
        case .constant(let value): try container.encode(Node.constant(value))
        case .list(let elements):
            for element in elements { try element.encode(into: &container) }
            try container.encode(Node.list(elements.count))
        case .unstorable(let text): try container.encode(Node.unstorable(text))
        }
    }

    /// How many levels of lists the expression has; a value that is no list has none.
    var depth: Int {
        guard case .list(let elements) = self else { return 0 }
        return 1 + (elements.map(\.depth).max() ?? 0)
    }
}
