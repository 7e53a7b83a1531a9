package import Cabinet

/// The search for the records of a plan: SQL statements as far as possible, and the evaluator for the rest.
package protocol PlanSearch {
    associatedtype Dialect: SQLDialect
    associatedtype Row: SQLRow

    var translation: PlanTranslation<Dialect> { get }

    /// The condition of the rows that SQL accepts without the evaluator.
    var decided: SQLCondition { get }
    /// The condition of the rows that the evaluator must decide.
    var undecided: SQLCondition { get }

    /// Calls a closure with each row of a statement that returns few rows.
    ///
    /// - Parameter end: The clauses after WHERE, with a leading space.
    func forEachRow(
        selecting selection: String, where condition: SQLCondition, _ end: String, _ body: (Row) throws -> Void) throws

    /// Calls a closure with each record that meets a condition and that the evaluator accepts, its row, and the
    /// column of an expression in the row.
    func forEachMatch(
        where condition: SQLCondition, selecting expression: String, _ body: (StoredRecord, Row, Int) throws -> Void)
        throws

    /// Calls a closure with the value of a term in each matching record; nil may be omitted.
    func forEachValue(of term: SQLTerm, _ body: (FieldValue?) throws -> Void) throws

    /// Computes the sum or average of a number in all rows that meet the necessary condition.
    ///
    /// - Returns: The value as a nested optional; `nil` if SQL does not compute it as the core does.
    func total(_ aggregate: Aggregate, of term: SQLTerm) throws -> FieldValue??

    /// Returns the first or last value of a term with an order in all rows that meet the necessary condition.
    func extreme(of term: SQLTerm, isFirst: Bool) throws -> FieldValue?

    /// Returns the zone with a number; `nil` if there is none.
    func zone(_ number: Int64) throws -> RecordZone.ID?
}

extension PlanSearch {
    // Inlined: generic code of another module would copy the whole search for each of these.
    @inlinable package var plan: QueryPlan { translation.plan }
    @inlinable package var parts: FilterTranslator<Dialect>.Parts { translation.parts }
    @inlinable package var translator: FilterTranslator<Dialect> { translation.translator }
    @inlinable package var terms: RowTerms<Dialect> { translator.terms }
    @inlinable package var table: Dialect.Table { translator.terms.table }
    @inlinable package var scope: ZoneScope { translator.scope }
    @inlinable package var builder: SQLBuilder<Dialect.Value> { translator.builder }

    /// Returns the fields to read: the given ones, then others that the evaluator needs.
    package func keysToRead(for keys: [Record.FieldKey]) -> [Record.FieldKey] {
        let others = parts.remainder?.keysToFetch(in: plan.fields).filter { SystemField(rawValue: $0) == nil } ?? []
        return keys + Set(others).subtracting(keys).sorted()
    }

    /// Returns the evaluator for the rows that SQL does not decide; `nil` if SQL decides every row.
    @inlinable package func evaluator() throws -> CompiledFilter? {
        try parts.remainder.map { try CompiledFilter($0, fields: plan.fields) }
    }

    /// Calls a closure with the value of a term in each record that meets a condition and that the evaluator accepts.
    package func forEachMatch(
        where condition: SQLCondition, valueOf term: SQLTerm?, _ body: (FieldValue?) throws -> Void
    ) throws {
        try forEachMatch(where: condition, selecting: term?.text ?? "NULL") { record, row, column in
            try body(try term.flatMap { try row.value(column, of: $0.type, in: $0.targetZone(for: record)) })
        }
    }

    /// Calls a closure with the value of a term in each matching record that the evaluator must decide.
    private func forEachEvaluated(valueOf term: SQLTerm?, _ body: (FieldValue?) throws -> Void) throws {
        if parts.remainder != nil { try forEachMatch(where: undecided, valueOf: term, body) }
    }

    /// Computes an aggregate of all rows that meet the necessary condition.
    ///
    /// - Returns: The value as a nested optional; `nil` if SQL does not compute the aggregate as the core does.
    private func computedValue(of aggregate: Aggregate, over term: SQLTerm) throws -> FieldValue?? {
        switch aggregate {
        case .sum, .average: term.kind == .number ? try total(aggregate, of: term) : nil
        case .minimum, .maximum:
            term.kind?.hasOrder == true ? .some(try extreme(of: term, isFirst: aggregate == .minimum)) : nil
        }
    }

    /// Returns the number of the plan's records.
    package func count() throws -> Int {
        var count = 0
        try forEachRow(selecting: "count(*)", where: decided, "") { count = Int(clamping: $0.integer(0) ?? 0) }
        try forEachEvaluated(valueOf: nil) { _ in count += 1 }
        return count
    }

    /// Computes an aggregate of a field, or of the field at the end of a key path.
    ///
    /// - Returns: The value as a nested optional; `nil` if SQL cannot express the key.
    package func value(of aggregate: Aggregate, over key: Record.FieldKey) throws -> FieldValue?? {
        var accumulator = AggregateAccumulator(aggregate)
        switch terms.meaning(of: key) {
        case .unknown: return nil
        // The evaluation may fail for a record, even if there is nothing to compute.
        case .nothing: try forEachEvaluated(valueOf: nil) { _ in }
        case .term(let term):
            guard term.inexactCases.isEmpty else { return nil }
            if parts.remainder == nil, let value = try computedValue(of: aggregate, over: term) { return .some(value) }
            try forEachValue(of: term) { try accumulator.add($0) }
        }
        return .some(accumulator.result)
    }

    /// Counts the records by the values of a field, or of the field at the end of a key path.
    ///
    /// - Returns: `nil` if SQL cannot express the key, or cannot group by its values.
    package func counts(by key: Record.FieldKey) throws -> [ValueCount]? {
        guard case .term(let term) = terms.meaning(of: key), term.kind != nil, term.inexactCases.isEmpty else {
            return nil
        }
        var zoneID = RecordZone.ID.default
        var zone = ""
        if term.kind == .reference, term.targetZone == .row {
            // References with the same name point to different records in different zones. With one zone, an index on
            // the field alone can group the rows.
            if case .one(let only, _, _) = scope { zoneID = only } else { zone = ", \(terms.name).\"___zone\"" }
        }
        var counter = ValueCounter()
        let groups = zone.isEmpty ? " GROUP BY 1" : " GROUP BY 1, 3"
        try forEachRow(selecting: "\(term.text), count(*)\(zone)", where: decided, groups) { row in
            if !zone.isEmpty, let number = row.integer(2), let found = try self.zone(number) { zoneID = found }
            counter.add(try row.value(0, of: term.type, in: zoneID), count: Int(clamping: row.integer(1) ?? 0))
        }
        try forEachEvaluated(valueOf: term) { counter.add($0) }
        return counter.counts
    }
}

extension SQLTerm {
    /// Returns the zone of the records that the term's references in a record point to.
    package func targetZone(for record: StoredRecord) -> RecordZone.ID {
        targetZone == .default ? .default : record.recordID.zoneID
    }
}
