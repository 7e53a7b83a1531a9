/// An expression is coded like a filter: as a flat array, operands before what is made of them.
extension Filter.Expression {
    private enum Node: Codable {
        case field(String)
        case member(String)
        case constant(FieldValue?)
        case list(Int)
        case at
        case first
        case last
        case size
        case arithmetic(Filter.Arithmetic)
        case negative
        case distance
        case searchableText
        case variable(String)
        case unstorable(String)

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case field
            case member
            case constant
            case list
            case at
            case first
            case last
            case size
            case arithmetic
            case negative
            case distance
            case searchableText
            case variable
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
                case .member: .member(try container.decode(String.self, forKey: key))
                case .constant: .constant(try container.decode(FieldValue?.self, forKey: key))
                case .list: .list(try container.decode(Int.self, forKey: key))
                case .at: .at
                case .first: .first
                case .last: .last
                case .size: .size
                case .arithmetic: .arithmetic(try container.decode(Filter.Arithmetic.self, forKey: key))
                case .negative: .negative
                case .distance: .distance
                case .searchableText: .searchableText
                case .variable: .variable(try container.decode(String.self, forKey: key))
                case .unstorable: .unstorable(try container.decode(String.self, forKey: key))
                }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .field(let key): try container.encode(key, forKey: .field)
            case .member(let key): try container.encode(key, forKey: .member)
            case .constant(let value): try container.encode(value, forKey: .constant)
            case .list(let count): try container.encode(count, forKey: .list)
            case .at: try container.encode(1, forKey: .at)
            case .first: try container.encode(1, forKey: .first)
            case .last: try container.encode(1, forKey: .last)
            case .size: try container.encode(1, forKey: .size)
            case .arithmetic(let operation): try container.encode(operation, forKey: .arithmetic)
            case .negative: try container.encode(1, forKey: .negative)
            case .distance: try container.encode(1, forKey: .distance)
            case .searchableText: try container.encode(1, forKey: .searchableText)
            case .variable(let name): try container.encode(name, forKey: .variable)
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
            case .searchableText: try stack.push(.searchableText, depth: 0)
            case .variable(let name): try stack.push(.variable(name), depth: 0)
            case .unstorable(let text): try stack.push(.unstorable(text), depth: 0)
            case .list(let count): try stack.join(count) { .list($0) }
            case .member(let key): try stack.join { .member($0, key) }
            case .first: try stack.join { .element($0, .first) }
            case .last: try stack.join { .element($0, .last) }
            case .size: try stack.join { .element($0, .size) }
            case .negative: try stack.join { .negative($0) }
            case .at: try stack.join { .element($0, .at($1)) }
            case .arithmetic(let operation): try stack.join { .arithmetic($0, operation, $1) }
            case .distance: try stack.join { .distance($0, $1) }
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
        for operand in operands { try operand.encode(into: &container) }
        try container.encode(node)
    }

    private var node: Node {
        switch self {
        case .field(let key): .field(key)
        case .member(_, let key): .member(key)
        case .constant(let value): .constant(value)
        case .list(let elements): .list(elements.count)
        case .element(_, .at): .at
        case .element(_, .first): .first
        case .element(_, .last): .last
        case .element(_, .size): .size
        case .arithmetic(_, let operation, _): .arithmetic(operation)
        case .negative: .negative
        case .distance: .distance
        case .searchableText: .searchableText
        case .variable(let name): .variable(name)
        case .unstorable(let text): .unstorable(text)
        }
    }

    /// How many levels of lists and operations the expression has; a field or a single value has none.
    var depth: Int {
        switch self {
        case .field, .constant, .variable, .searchableText, .unstorable: 0
        default: 1 + (operands.map(\.depth).max() ?? 0)
        }
    }
}
