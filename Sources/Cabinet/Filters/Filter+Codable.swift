/// A filter is coded as a flat array, children before their parents, so that neither a coder nor this code goes deep,
/// whatever bytes a stranger sends:
///
/// ```json
/// [{"comparison": {…}}, {"comparison": {…}}, {"and": 2}]
/// ```
extension Filter {
    private enum Node: Codable {
        case constant(Bool)
        case comparison(Comparison)
        case and(Int)
        case or(Int)
        case not

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case constant
            case comparison
            case and
            case or
            case not
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
                case .constant: .constant(try container.decode(Bool.self, forKey: key))
                case .comparison: .comparison(try container.decode(Comparison.self, forKey: key))
                case .and: .and(try container.decode(Int.self, forKey: key))
                case .or: .or(try container.decode(Int.self, forKey: key))
                case .not: .not
                }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .constant(let value): try container.encode(value, forKey: .constant)
            case .comparison(let comparison): try container.encode(comparison, forKey: .comparison)
            case .and(let count): try container.encode(count, forKey: .and)
            case .or(let count): try container.encode(count, forKey: .or)
            case .not: try container.encode(1, forKey: .not)
            }
        }
    }

    /// Decodes a filter.
    ///
    /// - Throws: `DecodingError` if the data is no filter, or one deeper than ``maximumDepth``.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var stack = CodedTreeStack<Filter>(codingPath: container.codingPath)
        while !container.isAtEnd {
            switch try container.decode(Node.self) {
            case .constant(let value): try stack.push(.constant(value))
            case .comparison(let comparison):
                try stack.push(.comparison(comparison), depth: 1 + max(comparison.left.depth, comparison.right.depth))
            case .and(let count): try stack.join(count) { .and($0) }
            case .or(let count): try stack.join(count) { .or($0) }
            case .not: try stack.join(1) { $0.first.map(Filter.not) ?? .constant(true) }
            }
        }
        self = try stack.root()
    }

    /// Encodes the filter.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter is deeper than ``maximumDepth``, and the
    ///   encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        try validateDepth()
        var container = encoder.unkeyedContainer()
        try encode(into: &container)
    }

    private func encode(into container: inout any UnkeyedEncodingContainer) throws {
        switch self {
        case .constant(let value): try container.encode(Node.constant(value))
        case .comparison(let comparison): try container.encode(Node.comparison(comparison))
        case .and(let children):
            for child in children { try child.encode(into: &container) }
            try container.encode(Node.and(children.count))
        case .or(let children):
            for child in children { try child.encode(into: &container) }
            try container.encode(Node.or(children.count))
        case .not(let child):
            try child.encode(into: &container)
            try container.encode(Node.not)
        }
    }
}

/// Builds a tree from nodes that come children first.
struct CodedTreeStack<Tree> {
    private var trees: [Tree] = []
    private var depths: [Int] = []
    private let codingPath: [any CodingKey]

    init(codingPath: [any CodingKey]) {
        self.codingPath = codingPath
    }

    /// Adds a leaf.
    mutating func push(_ tree: Tree, depth: Int = 1) throws {
        guard depth <= Filter.maximumDepth else {
            throw corrupted("the filter is more than \(Filter.maximumDepth) levels deep")
        }
        trees.append(tree)
        depths.append(depth)
    }

    /// Makes the last trees the children of a new one.
    mutating func join(_ count: Int, _ parent: ([Tree]) -> Tree) throws {
        guard count >= 0, count <= trees.count else { throw corrupted("a node has more children than there are") }
        let depth = 1 + (depths.suffix(count).max() ?? 0)
        let children = Array(trees.suffix(count))
        trees.removeLast(count)
        depths.removeLast(count)
        try push(parent(children), depth: depth)
    }

    /// Makes the last tree the child of a new one.
    mutating func join(_ parent: (Tree) -> Tree) throws {
        try join(1) { parent($0[0]) }
    }

    /// Makes the last two trees the children of a new one.
    mutating func join(_ parent: (Tree, Tree) -> Tree) throws {
        try join(2) { parent($0[0], $0[1]) }
    }

    /// The tree, when all nodes were read.
    func root() throws -> Tree {
        guard let tree = trees.last, trees.count == 1 else {
            throw corrupted("expected one tree, found \(trees.count)")
        }
        return tree
    }

    private func corrupted(_ complaint: String) -> DecodingError {
        DecodingError.dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: complaint))
    }
}
