package import Cabinet

/// The search for the records of a plan: statements for what SQL can decide, and the evaluator for the rest.
package protocol PlanSearch {
    associatedtype Dialect: SQLDialect

    var plan: QueryPlan { get }
    /// The parts that the filter is split into.
    var parts: FilterTranslator<Dialect>.Parts { get }
    /// The translator that has split the filter, with the parameters of the parts.
    var translator: FilterTranslator<Dialect> { get }

    /// The page's records.
    mutating func page() throws -> [StoredRecord]

    /// The number of the matching records about which SQL decides without the evaluator.
    func decidedCount() throws -> Int

    /// Counts the matching records about which SQL decides without the evaluator by their values of a term.
    ///
    /// - Parameters:
    ///   - zone: The column that a reference's zone depends on; `nil` if all are of one zone.
    ///   - zoneID: The zone of the references if it depends on no column.
    ///   - counter: Takes the counts.
    func countDecided(
        by term: SQLTerm, zone: String?, zoneID: RecordZone.ID, _ counter: inout ValueCounter) throws

    /// Runs a closure for each matching record about which the evaluator decides, with the record's value of a term.
    func forEachEvaluated(selecting term: SQLTerm?, _ body: (FieldValue?) throws -> Void) throws

    /// Runs a closure for each matching record's value of a term; nil may be left out.
    func forEachValue(of term: SQLTerm, _ body: (FieldValue?) throws -> Void) throws

    /// Computes an aggregate of all rows that meet the necessary condition.
    ///
    /// - Returns: The value, in an optional of its own; `nil` if SQL does not compute the aggregate as the core does.
    func computedValue(of aggregate: Aggregate, over term: SQLTerm) throws -> FieldValue??
}

extension PlanSearch {
    package var terms: RowTerms<Dialect> { translator.terms }
    package var table: Dialect.Table { translator.terms.table }
    package var scope: ZoneScope { translator.scope }

    /// The fields to read so that the records have some fields, and those that the evaluator needs after them.
    package func keysToRead(for keys: [Record.FieldKey]) -> [Record.FieldKey] {
        let others = parts.remainder?.keysToFetch(in: plan.fields).filter { SystemField(rawValue: $0) == nil } ?? []
        return keys + Set(others).subtracting(keys).sorted()
    }

    /// The evaluator of what SQL does not decide; `nil` if SQL decides about every row.
    package func evaluator() throws -> CompiledFilter? {
        try parts.remainder.map { try CompiledFilter($0, fields: plan.fields) }
    }

    /// The number of the plan's records.
    package func count() throws -> Int {
        var count = try decidedCount()
        if parts.remainder != nil { try forEachEvaluated(selecting: nil) { _ in count += 1 } }
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
        case .nothing: if parts.remainder != nil { try forEachEvaluated(selecting: nil) { _ in } }
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
        var (zone, zoneID) = (String?.none, RecordZone.ID.default)
        if term.kind == .reference, term.targetZone == .row {
            // References with the same name point to different records in different zones.
            if case .one(let only, _, _) = scope { zoneID = only } else { zone = "\(terms.name).\"___zone\"" }
        }
        var counter = ValueCounter()
        try countDecided(by: term, zone: zone, zoneID: zoneID, &counter)
        if parts.remainder != nil { try forEachEvaluated(selecting: term) { counter.add($0) } }
        return counter.counts
    }
}

extension SQLTerm {
    /// The zone of the records that the references of a record point to.
    package func targetZone(for record: StoredRecord) -> RecordZone.ID {
        targetZone == .default ? .default : record.recordID.zoneID
    }
}
