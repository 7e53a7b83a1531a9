import Cabinet

/// Which indexes can serve a filter.
///
/// SQLite chooses an index without knowing how many rows it finds. Where its guess is bad, the condition is written so that
/// it has no choice.
extension FilterTranslator {
    /// Notes which indexes a condition on all records can use.
    ///
    /// - Returns: The condition as SQLite is to read it. A sign before an OR keeps it from looking for each part apart, which
    ///   it does by the zone if there is nothing better.
    mutating func noteIndex(for filter: Filter, _ condition: SQLCondition) -> SQLCondition {
        if isIndexed(filter) {
            usesFieldIndex = true
            return condition
        }
        switch filter {
        case .comparison(let comparison):
            if [.equal, .in].contains(comparison.operator), comparison.quantifier == .single,
                [comparison.left, comparison.right].contains(where: { column($0)?.isID == true })
            {
                usesIDIndex = true
            }
            return condition
        case .or:
            guard case .sql(let text, let depth) = condition else { return condition }
            return .sql("+(\(text))", depth: depth + 1)
        case .constant, .and, .not:
            return condition
        }
    }

    /// Whether a filter's records can be found by an index, without knowing their zone.
    private func isIndexed(_ filter: Filter) -> Bool {
        switch filter {
        case .and(let children): children.contains(where: isIndexed)
        case .or(let children): children.allSatisfy(isIndexed)
        case .constant, .not: false
        case .comparison(let comparison): isIndexed(comparison)
        }
    }

    private func isIndexed(_ comparison: Filter.Comparison) -> Bool {
        guard comparison.quantifier == .single, comparison.options.isEmpty else { return false }
        let (left, right) = (comparison.left, comparison.right)
        return switch comparison.operator {
        case .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            isIndexed(left, comparedWith: right) || isIndexed(right, comparedWith: left)
        case .in, .between, .beginsWith: isIndexed(left, comparedWith: right)
        case .notEqual, .contains, .endsWith, .like, .matches, .tokenMatches: false
        }
    }

    /// Whether an index has a column that is compared with what does not depend on the row.
    private func isIndexed(_ operand: Filter.Expression, comparedWith other: Filter.Expression) -> Bool {
        guard other.isConstant, let column = column(operand) else { return false }
        return terms.table.isIndexed(column, forNil: other == .constant(nil))
    }

    private func column(_ operand: Filter.Expression) -> SQLTerm? {
        guard case .field(let key) = operand, case .term(let term) = terms.meaning(of: key), term.isColumn else {
            return nil
        }
        return term
    }
}

extension Table {
    /// Whether rows are found by the values of a column, or by its having none, whatever their zone is.
    fileprivate func isIndexed(_ term: SQLTerm, forNil isForNil: Bool) -> Bool {
        // The indexes that all references have leave out the rows that have none.
        if term.type == .reference, term.targetZone == .row, !term.isID, !isForNil { return true }
        return trees.contains { $0.first == term.column }
    }

    /// Whether an index can have the rows in the order of a column, as SQL takes it, maybe among those that have equal values
    /// in others.
    func isOrdered(by column: String) -> Bool {
        trees.contains { $0.dropLast().contains(column) }
    }
}
