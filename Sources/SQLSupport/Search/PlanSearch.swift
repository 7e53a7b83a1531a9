package import Cabinet

/// The search for the records of a plan: statements for what SQL can decide, and the evaluator for the rest.
package protocol PlanSearch {
    associatedtype Dialect: SQLDialect
    associatedtype Row: SQLRow

    var plan: QueryPlan { get }
    /// The parts that the filter is split into.
    var parts: FilterTranslator<Dialect>.Parts { get }
    /// The translator that has split the filter, with the parameters of the parts.
    var translator: FilterTranslator<Dialect> { get }

    /// The page's records.
    mutating func page() throws -> [StoredRecord]

    /// The condition of the rows that SQL accepts without the evaluator.
    var decided: SQLCondition { get }
    /// The condition of the rows about which the evaluator decides, if it decides about any.
    var undecided: SQLCondition { get }

    /// Runs a closure for each row of a statement that selects few.
    ///
    /// - Parameter end: The clauses after WHERE, with a leading space.
    func forEachRow(
        selecting selection: String, where condition: SQLCondition, _ end: String, _ body: (Row) throws -> Void) throws

    /// Runs a closure for each record that meets a condition and that the evaluator accepts, with the record's value of a term.
    func forEachMatch(
        where condition: SQLCondition, selecting term: SQLTerm?, _ body: (FieldValue?) throws -> Void) throws

    /// Runs a closure for each matching record's value of a term; nil may be left out.
    func forEachValue(of term: SQLTerm, _ body: (FieldValue?) throws -> Void) throws

    /// Computes an aggregate of all rows that meet the necessary condition.
    ///
    /// - Returns: The value, in an optional of its own; `nil` if SQL does not compute the aggregate as the core does.
    func computedValue(of aggregate: Aggregate, over term: SQLTerm) throws -> FieldValue??

    /// The zone with a number; `nil` if none has it.
    func zone(_ number: Int64) throws -> RecordZone.ID?
}

extension PlanSearch {
    package var terms: RowTerms<Dialect> { translator.terms }
    package var table: Dialect.Table { translator.terms.table }
    package var scope: ZoneScope { translator.scope }
    package var builder: SQLBuilder<Dialect.Value> { translator.builder }

    /// The fields to read so that the records have some fields, and those that the evaluator needs after them.
    package func keysToRead(for keys: [Record.FieldKey]) -> [Record.FieldKey] {
        let others = parts.remainder?.keysToFetch(in: plan.fields).filter { SystemField(rawValue: $0) == nil } ?? []
        return keys + Set(others).subtracting(keys).sorted()
    }

    /// The evaluator of what SQL does not decide; `nil` if SQL decides about every row.
    package func evaluator() throws -> CompiledFilter? {
        try parts.remainder.map { try CompiledFilter($0, fields: plan.fields) }
    }

    /// Runs a closure for each matching record about which the evaluator decides, with the record's value of a term.
    private func forEachEvaluated(selecting term: SQLTerm?, _ body: (FieldValue?) throws -> Void) throws {
        if parts.remainder != nil { try forEachMatch(where: undecided, selecting: term, body) }
    }

    /// The number of the plan's records.
    package func count() throws -> Int {
        var count = 0
        try forEachRow(selecting: "count(*)", where: decided, "") { count = Int(clamping: $0.integer(0) ?? 0) }
        try forEachEvaluated(selecting: nil) { _ in count += 1 }
        return count
    }

    /// Computes one value of a field, or of the field at the end of a key path.
    ///
    /// - Returns: The value, in an optional of its own; `nil` if SQL cannot express the key.
    package func value(of aggregate: Aggregate, over key: Record.FieldKey) throws -> FieldValue?? {
        var accumulator = AggregateAccumulator(aggregate)
        switch terms.meaning(of: key) {
        case .unknown: return nil
        // The evaluation may fail for a record, also if there is nothing to compute.
        case .nothing: try forEachEvaluated(selecting: nil) { _ in }
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
            // References with the same name point to different records in different zones. An index on the field alone can group the
            // rows of one zone.
            if case .one(let only, _, _) = scope { zoneID = only } else { zone = ", \(terms.name).\"___zone\"" }
        }
        var counter = ValueCounter()
        let groups = zone.isEmpty ? " GROUP BY 1" : " GROUP BY 1, 3"
        try forEachRow(selecting: "\(term.text), count(*)\(zone)", where: decided, groups) { row in
            if !zone.isEmpty, let number = row.integer(2), let found = try self.zone(number) { zoneID = found }
            counter.add(try row.value(0, of: term.type, in: zoneID), count: Int(clamping: row.integer(1) ?? 0))
        }
        try forEachEvaluated(selecting: term) { counter.add($0) }
        return counter.counts
    }
}

extension SQLTerm {
    /// The zone of the records that the references of a record point to.
    package func targetZone(for record: StoredRecord) -> RecordZone.ID {
        targetZone == .default ? .default : record.recordID.zoneID
    }
}
