import Cabinet
import SQLSupport

extension Connection {
    /// Adds SQLite's plans for the statements of a search to an explanation.
    func explain(_ search: inout PageSearch, _ explanation: inout QueryExplanation) throws {
        let tables = try catalog.tables.map { try indexes(of: $0) }
        for lookup in search.targetLookups { _ = try explain(lookup, tables, &explanation) }
        let (statements, isOrdered) = try search.explained()
        if statements.isEmpty { explanation.access.append(.nothing) }
        if !isOrdered { explanation.ordering = .sorted }
        for statement in statements where try explain(statement, tables, &explanation) {
            explanation.ordering = .sorted
        }
    }

    /// Adds SQLite's plan for a statement to an explanation.
    ///
    /// - Returns: Whether the plan sorts the rows.
    private func explain(
        _ statement: SQLStatementText, _ tables: [NamedIndexes], _ explanation: inout QueryExplanation
    ) throws -> Bool {
        let question = try Statement("EXPLAIN QUERY PLAN " + statement.sql, on: handle)
        try statement.builder.bind(to: question)
        var isSorted = false
        var last: QueryExplanation.Access?
        while try question.step() {
            guard let text = question.string(3) else { continue }
            let line = QueryPlanLine(text: text)
            explanation.details.append(text)
            // Several ranges of one index are one access.
            if let access = line.access(tables) {
                if access != last { explanation.access.append(access) }
                last = access
            }
            isSorted = isSorted || line.isSorting
        }
        return isSorted
    }
}
