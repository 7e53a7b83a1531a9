import Cabinet
import SQLSupport

extension TransactionContext {
    /// Tells how a query's records would be found, by asking PostgreSQL about the statements that would find them.
    func explanation(of plan: QueryPlan) throws -> QueryExplanation {
        guard let search = try PageSearch(plan, in: self) else {
            return QueryExplanation(pushedDown: plan.filter, evaluated: nil, access: [.nothing], ordering: .byIndex)
        }
        let (statements, isOrdered) = search.explained()
        var explanation = QueryExplanation(
            pushedDown: search.parts.translated, evaluated: search.parts.remainder, access: [],
            ordering: isOrdered ? .byIndex : .sorted)
        if statements.isEmpty { explanation.access.append(.nothing) }
        for statement in statements {
            try explain(statement, &explanation)
        }
        return explanation
    }

    /// Adds what PostgreSQL says about a statement.
    private func explain(_ statement: SQLStatement, _ explanation: inout QueryExplanation) throws {
        var node: PlanNode?
        var lines: [String] = []
        try connection.enqueue("EXPLAIN (FORMAT JSON) \(statement.text)", statement.values, isPrepared: false) {
            node = try $0.first?.text(0).flatMap { try PlanNode.plan(from: $0) }
        }
        try connection.enqueue("EXPLAIN (COSTS OFF) \(statement.text)", statement.values, isPrepared: false) {
            lines = $0.rows.compactMap { $0.text(0) }
        }
        try connection.flush()
        explanation.details += lines
        guard let node else { return }
        explanation.access += node.accesses(in: catalog)
        if node.isSorted { explanation.ordering = .sorted }
    }
}

extension PageSearch {
    /// The statements that find the page's records, to be explained, and whether they find them in their order.
    func explained() -> (statements: [SQLStatement], isOrdered: Bool) {
        if let keyset { return (statements(orderedBy: keyset), true) }
        let selection = decoder(keys: nil).selection(from: terms.name)
        return ([statement(selection)].compactMap { $0 }, false)
    }
}
