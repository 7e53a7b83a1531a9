extension Filter {
    /// Returns an equivalent filter that is at most as large, and often smaller.
    ///
    /// For every record that this filter can be evaluated for, the simplified one gives the same result. Chains within
    /// chains of the same kind are merged, without repetitions. TRUEPREDICATE and FALSEPREDICATE are removed, unless
    /// nothing else remains. Two NOTs cancel. Comparisons and operands that do not depend on the record are computed.
    /// The order is kept.
    ///
    /// ```swift
    /// let filter = try Filter(
    ///     "NOT (a != 1) AND (b == 2 AND TRUEPREDICATE) AND n > 60 * 60")
    /// filter.simplified()
    /// // a == 1 AND b == 2 AND n > 3600
    /// ```
    ///
    /// Irrelevant parts are dropped, mistakes included: `FALSEPREDICATE AND name BEGINSWITH 5` becomes FALSEPREDICATE,
    /// which ``validate(fields:)`` accepts. Validate a filter before it is simplified, not after. A comparison of
    /// constants that fails during evaluation is unchanged, and fails later.
    ///
    /// - Returns: The simplified filter, which simplifies to itself. A filter that is deeper than ``maximumDepth`` is
    ///   returned unchanged, and refused when it is used.
    /// - Complexity: O(*n* · *d*) in the size and the depth of the filter.
    public func simplified() -> Filter {
        isShallow ? simplifiedTree() : self
    }

    /// Whether the filter is as simple as can be at first sight: a few comparisons of fields with single values.
    var isPlain: Bool {
        switch self {
        case .comparison(let comparison):
            guard comparison.quantifier == .single, comparison.operator != .in, case .field = comparison.left,
                case .constant(let value?) = comparison.right
            else { return false }
            if case .list = value { return false }
            return true
        case .and(let children):
            guard (2...4).contains(children.count) else { return false }
            for (index, child) in children.enumerated() {
                guard case .comparison = child, child.isPlain, !children[..<index].contains(child) else { return false }
            }
            return true
        case .constant, .or, .not: return false
        }
    }

    func simplifiedTree() -> Filter {
        switch self {
        case .constant: return self
        case .comparison(let comparison): return comparison.simplified()
        case .and(let children):
            return Self.chain(children, neutral: true) { filter in
                if case .and(let children) = filter { children } else { nil }
            } joined: {
                .and($0)
            }
        case .or(let children):
            return Self.chain(children, neutral: false) { filter in
                if case .or(let children) = filter { children } else { nil }
            } joined: {
                .or($0)
            }
        case .not(let child): return child.simplifiedTree().negated
        }
    }

    /// - Parameters:
    ///   - neutral: The constant that changes nothing in a chain. The opposite one decides the chain.
    ///   - links: Returns the filters of a chain of the same kind, or `nil` if the filter is not one.
    ///   - joined: Creates a chain of at least two filters.
    private static func chain(
        _ children: [Filter], neutral: Bool, links: (Filter) -> [Filter]?, joined: ([Filter]) -> Filter
    ) -> Filter {
        var kept: [Filter] = []
        var seen: Set<Filter> = []
        for child in children {
            let child = child.simplifiedTree()
            for link in links(child) ?? [child] {
                if case .constant(let value) = link {
                    if value != neutral { return link }
                } else if seen.insert(link).inserted {
                    kept.append(link)
                }
            }
        }
        if kept.count > 1 { return joined(kept) }
        return kept.first ?? .constant(neutral)
    }

    /// The negation of a simplified filter.
    ///
    /// Not `<` is not `>=`, because both are false of nil. And NOT ANY is left alone, because CloudKit takes it, and no NONE.
    private var negated: Filter {
        switch self {
        case .constant(let value): return .constant(!value)
        case .not(let child): return child
        case .comparison(var comparison):
            switch (comparison.quantifier, comparison.operator) {
            case (.none, _): comparison.quantifier = .any
            case (.single, .equal): comparison.operator = .notEqual
            case (.single, .notEqual): comparison.operator = .equal
            default: return .not(self)
            }
            return .comparison(comparison)
        case .and, .or: return .not(self)
        }
    }
}

extension Filter.Comparison {
    fileprivate func simplified() -> Filter {
        var simple = self
        simple.left = left.simplified()
        simple.right = right.simplified()
        // A constant is checked before a record is seen, and what was none was not: it may fail for some records alone.
        if simple.right != right, case .constant(let value) = simple.right,
            rule.valueError(about: FilterValue(value).folded(rule.folding(options))) != nil
        {
            simple.right = right
        }
        return simple.answer.map { .constant($0) } ?? .comparison(simple)
    }

    /// The answer that the comparison gives for every record; `nil` if that is not known.
    private var answer: Bool? {
        if quantifier != .single, left.hasNoElements { return quantifier != .any }
        if left.isConstant, right.isConstant { return try? evaluated() }
        if isEmptySearch { return true }
        let isInNothing = `operator` == .in && right.isEmptyList
        switch quantifier {
        case .single: return isInNothing || `operator` == .contains && left.isEmptyList ? false : nil
        case .any: return isInNothing ? false : nil
        case .none: return isInNothing ? true : nil
        // It holds for an empty list.
        case .all: return nil
        }
    }

    /// The evaluator's answer, which does not depend on a record.
    private func evaluated() throws -> Bool {
        var compiled = try CompiledFilter(.comparison(self), fields: [:])
        return try compiled.matches(.blank)
    }
}
