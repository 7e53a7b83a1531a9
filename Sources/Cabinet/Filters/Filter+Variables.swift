/// A filter can be written once, with variables for values that are set later:
///
/// ```swift
/// let cheap = try Filter("price < $limit AND list == $list")
/// let filter = cheap.substituting(["limit": 5, "list": list])
/// ```
extension Filter {
    /// The names of the variables without a value.
    ///
    /// A filter with variables is refused when it is used.
    public var variables: Set<String> {
        guard isShallow else { return [] }
        var names: Set<String> = []
        collectVariables(into: &names)
        return names
    }

    /// Returns the filter with values in place of variables.
    ///
    /// Variables without a value remain, and can get one later. Surplus values are ignored, so that one dictionary can
    /// serve several filters. ``variables`` lists the variables of a filter.
    ///
    /// - Parameter values: The values by the names of the variables, without the dollar sign, with `nil` for the
    ///   language's NIL. A value that no field can hold gives a filter that is refused when it is used, as in a
    ///   builder.
    /// - Returns: The same filter with the values, as if they had been written there.
    /// - Complexity: O(*n*) in the size of the filter.
    public func substituting(_ values: [String: (any FilterArgument)?]) -> Filter {
        // A filter that is too deep for recursion is refused when it is used.
        guard isShallow else { return self }
        return replacingExpressions { $0.substituting(values) }
    }

    /// Whether the tree is shallow enough for recursion, as all usable filters are.
    var isShallow: Bool { isShallow(from: 1) }

    /// Whether the tree is shallow enough for recursion when its root is on a level of another tree.
    func isShallow(from depth: Int) -> Bool {
        (try? validateDepth(from: depth)) != nil
    }

    /// Returns the same filter with other operands.
    func replacingExpressions(_ replacement: (Expression) -> Expression) -> Filter {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = replacement(comparison.left)
            comparison.right = replacement(comparison.right)
            return .comparison(comparison)
        case .and(let children): return .and(children.map { $0.replacingExpressions(replacement) })
        case .or(let children): return .or(children.map { $0.replacingExpressions(replacement) })
        case .not(let child): return .not(child.replacingExpressions(replacement))
        }
    }

    fileprivate func collectVariables(into names: inout Set<String>) {
        switch self {
        case .constant: break
        case .comparison(let comparison):
            comparison.left.collectVariables(into: &names)
            comparison.right.collectVariables(into: &names)
        case .and(let children), .or(let children):
            for child in children { child.collectVariables(into: &names) }
        case .not(let child): child.collectVariables(into: &names)
        }
    }
}

extension Filter.Expression {
    fileprivate func collectVariables(into names: inout Set<String>) {
        if case .variable(let name) = self { names.insert(name) }
        if case .referring(_, _, let filter) = self { filter.collectVariables(into: &names) }
        for operand in operands { operand.collectVariables(into: &names) }
    }

    fileprivate func substituting(_ values: [String: (any FilterArgument)?]) -> Filter.Expression {
        if case .variable(let name) = self { return values[name].map { Filter.Expression($0) } ?? self }
        return replacingOperands { $0.substituting(values) }
    }

    /// Returns the same expression with other operands, in the form that the parser and the builders give it.
    func replacingOperands(_ replacement: (Filter.Expression) -> Filter.Expression) -> Filter.Expression {
        switch self {
        case .field, .constant, .variable, .searchableText, .unstorable: self
        case .list(let elements): Filter.Expression(list: elements.map(replacement))
        case .member(let operand, let key): replacement(operand).member(key)
        case .element(let list, .at(let position)): replacement(list)[replacement(position)]
        case .element(let list, let index): .element(replacement(list), index)
        case .negative(let operand): -replacement(operand)
        case .arithmetic(let left, let operation, let right):
            .arithmetic(replacement(left), operation, replacement(right))
        case .distance(let left, let right): .distance(replacement(left), replacement(right))
        case .referring(let type, let field, let filter):
            .referring(type, by: field, where: filter.replacingExpressions(replacement))
        }
    }
}
