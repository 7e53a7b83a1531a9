import Cabinet
import SQLSupport

extension Connection {
    /// Tells how a query's records would be found, by asking SQLite about the statement that would find them.
    func explanation(of plan: QueryPlan) throws -> QueryExplanation {
        guard var search = try PageSearch(plan, for: .page, on: self) else {
            return QueryExplanation(
                pushedDown: plan.filter, evaluated: nil, access: [.nothing], ordering: .byIndex)
        }
        var explanation = QueryExplanation(
            pushedDown: search.parts.translated, evaluated: search.parts.remainder, access: [], ordering: .byIndex)
        let tables = try catalog.tables.map { try indexes(of: $0) }
        for lookup in search.targetLookups { _ = try explain(lookup, tables, &explanation) }
        let (statements, isOrdered) = try search.explained()
        if statements.isEmpty { explanation.access.append(.nothing) }
        if !isOrdered { explanation.ordering = .sorted }
        for statement in statements where try explain(statement, tables, &explanation) {
            explanation.ordering = .sorted
        }
        return explanation
    }

    /// Adds what SQLite says about a statement.
    ///
    /// - Returns: Whether it sorts what it finds.
    private func explain(
        _ statement: SQLStatementText, _ tables: [NamedIndexes], _ explanation: inout QueryExplanation
    ) throws -> Bool {
        let question = try Statement("EXPLAIN QUERY PLAN " + statement.sql, on: handle)
        try statement.builder.bind(to: question)
        var isSorted = false
        while try question.step() {
            guard let text = question.string(3) else { continue }
            let line = QueryPlanLine(text: text)
            explanation.details.append(text)
            if let access = line.access(tables) { explanation.access.append(access) }
            isSorted = isSorted || line.isSorting
        }
        return isSorted
    }
}
