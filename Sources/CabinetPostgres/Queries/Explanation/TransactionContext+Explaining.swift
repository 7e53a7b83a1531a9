import Cabinet
import SQLSupport

extension TransactionContext {
    /// Explains the statements of a search.
    func explain(_ search: inout PageSearch, _ explanation: inout QueryExplanation) throws {
        let (statements, isOrdered) = search.explained()
        if !isOrdered { explanation.ordering = .sorted }
        if statements.isEmpty { explanation.access.append(.nothing) }
        for statement in statements {
            try explain(statement, &explanation)
        }
    }

    /// Adds PostgreSQL's plan of a statement.
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
    /// Returns the statements that find the page's records, and whether their results are ordered.
    func explained() -> (statements: [SQLStatement], isOrdered: Bool) {
        if let keyset { return (statements(orderedBy: keyset), true) }
        let selection = decoder(keys: nil).selection(from: terms.name)
        return ([statement(selection)].compactMap { $0 }, false)
    }
}
