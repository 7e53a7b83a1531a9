extension Filter {
    /// How many levels of NOT, AND, OR and lists a filter may have, one in the other: 100.
    ///
    /// Trees are copied, compared, hashed and freed by recursion, and the bound keeps that within the smallest stack
    /// that a thread has. A chain such as `a AND b AND c` is one level, however long.
    public static let maximumDepth = 100

    /// Refuses a tree that recursion could not go through.
    func validateDepth() throws(CabinetError) {
        // No recursion here: this is what makes it safe everywhere else.
        var filters: [(filter: Filter, depth: Int)] = [(self, 1)]
        while let (filter, depth) = filters.popLast() {
            if depth > Self.maximumDepth { throw Self.tooDeep }
            switch filter {
            case .constant: break
            case .comparison(let comparison):
                try comparison.left.validateDepth(from: depth)
                try comparison.right.validateDepth(from: depth)
            case .and(let children), .or(let children): filters += children.map { ($0, depth + 1) }
            case .not(let child): filters.append((child, depth + 1))
            }
        }
    }

    static var tooDeep: CabinetError {
        CabinetError(
            .invalidArguments,
            "The filter is more than \(maximumDepth) levels of NOT, AND, OR and lists deep. "
                + "Join filters into one .and or .or instead of nesting them."
        )
    }
}

extension Filter.Expression {
    fileprivate func validateDepth(from depth: Int) throws(CabinetError) {
        var expressions = [(expression: self, depth: depth)]
        while let (expression, depth) = expressions.popLast() {
            guard case .list(let elements) = expression else { continue }
            if depth >= Filter.maximumDepth { throw Filter.tooDeep }
            expressions += elements.map { ($0, depth + 1) }
        }
    }
}
