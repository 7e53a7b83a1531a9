import Cabinet

/// The rows that refer to a row: their number, and whether there is one.
extension FilterTranslator {
    /// The rows of another table that refer to a row, as the parts of a subquery.
    private struct Referring {
        /// The FROM and WHERE clauses of the rows that refer to the row, or of all rows that refer to any.
        let source: String
        /// The condition of the rows that are counted, and of those that SQL does not decide.
        let bounds: ApproximateCondition
        /// The name of the table, and for a list of references the column that holds it.
        let alias: String
        let list: SQLTerm?

        /// Returns the statement that returns the targets of lists; `nil` for single references.
        func targets(where condition: SQLCondition) -> String? {
            list.map { Dialect.targets(of: $0, in: source, named: alias, where: condition) }
        }
    }

    /// The translation of counted rows.
    private enum Counted {
        case rows(Referring)
        /// No row can refer to the row.
        case nothing
        case unknown
    }

    /// Returns the number of the rows that refer to a row.
    mutating func count(of type: Record.RecordType, by field: Record.FieldKey, where filter: Filter) -> SQLOperand {
        switch rows(of: type, by: field, where: filter) {
        case .unknown: return .unknown
        case .nothing: return .term(Self.zero)
        case .rows(let rows):
            let isCounted = rows.bounds.necessary
            if isCounted.isNever { return .term(Self.zero) }
            let text =
                rows.targets(where: isCounted).map { Dialect.count(of: terms, among: $0) }
                ?? "(SELECT count(*) FROM \(rows.source)\(and(isCounted)))"
            guard text.utf8.count <= Self.maximumLength else { return .unknown }
            return .term(
                SQLTerm(
                    text: text, type: .int64, inexactCases: inexactCases(rows), depth: rows.bounds.depth + 5))
        }
    }

    /// Translates a comparison that holds if a row refers to the row, or if none does.
    mutating func existence(_ comparison: Filter.Comparison) -> SQLTest? {
        guard let exists = comparison.requiresReferringRecord,
            case .referring(let type, let field, let filter) = comparison.left
        else { return nil }
        switch rows(of: type, by: field, where: filter) {
        case .unknown: return nil
        case .nothing: return exists ? .never : .always
        case .rows(let rows):
            let isCounted = rows.bounds.necessary
            if isCounted.isNever { return exists ? .never : .always }
            let text = self.exists(rows, where: isCounted)
            guard text.utf8.count <= Self.maximumLength else { return nil }
            let test = SQLTest(.sql(text, depth: rows.bounds.depth + 5), inexactCases: inexactCases(rows))
            return exists ? test : test.negated
        }
    }

    /// The number 0, which ORDER BY does not take for the position of a column.
    private static var zero: SQLTerm { SQLTerm(text: "CAST(0 AS bigint)", type: .int64) }

    /// Translates what records are sorted by.
    mutating func meaning(of sort: Sort) -> RowTerms<Dialect>.Meaning {
        // Validation has rejected malformed keys.
        guard let (type, field, filter) = try? sort.counted() else { return terms.meaning(of: sort.key) }
        if case .term(let term) = count(of: type, by: field, where: filter) { return .term(term) }
        return .unknown
    }

    private func and(_ condition: SQLCondition) -> String {
        condition.isAlways ? "" : " AND (\(condition.text))"
    }

    private func exists(_ rows: Referring, where condition: SQLCondition) -> String {
        if let targets = rows.targets(where: condition) {
            return "(\(terms.name).\"___zone\", \(terms.name).\"___recordID\") IN "
                + "(SELECT zone, target FROM (\(targets)) AS \"$t\")"
        }
        return "EXISTS (SELECT 1 FROM \(rows.source)\(and(condition)))"
    }

    /// Returns the case of a row to which another one refers that only the evaluator can decide.
    private func inexactCases(_ rows: Referring) -> [String] {
        if rows.bounds.isExact { return [] }
        return [exists(rows, where: .all([rows.bounds.necessary, rows.bounds.sufficient.negated]))]
    }

    /// Translates the filter of the rows that refer to a row.
    private mutating func rows(
        of type: Record.RecordType, by field: Record.FieldKey, where filter: Filter
    ) -> Counted {
        let outer = terms
        guard outer.fields.recordTypes != nil else { return .unknown }
        guard let table = outer.tables.first(where: { $0.recordType.utf8.elementsEqual(type.utf8) }),
            let fieldType = outer.fields.typeOfReferences(from: type, by: field)
        else { return .nothing }
        let dialect = self.dialect
        referringLevel += 1
        defer {
            // The rows of another table do not decide which index finds those of this one.
            (terms, self.dialect) = (outer, dialect)
            referringLevel -= 1
        }
        // No table has this name, see ``RowTerms``.
        let alias = "\"$r\(referringLevel)\""
        terms = RowTerms(table, fields: outer.fields.types(of: type), tables: outer.tables, name: alias)
        guard case .term(let reference) = terms.meaning(of: field) else { return .nothing }
        let bounds = bounds(of: filter)
        let source =
            fieldType.isList
            ? Dialect.rows(of: table, named: alias)
            : Dialect.rows(of: table, named: alias, whose: reference, refersTo: outer)
        return .rows(
            Referring(source: source, bounds: bounds, alias: alias, list: fieldType.isList ? reference : nil))
    }
}

extension Filter.Comparison {
    /// Whether a comparison of the number of referring records requires one, or requires that there is none; `nil` if it
    /// depends on more than that.
    fileprivate var requiresReferringRecord: Bool? {
        guard case .referring = left, quantifier == .single else { return nil }
        let number: Double
        switch right {
        case .constant(.int64(let value)?): number = Double(value)
        case .constant(.double(let value)?): number = value
        default: return nil
        }
        switch `operator` {
        case .equal where number == 0: return false
        case .notEqual where number == 0: return true
        case .lessThan where number > 0 && number <= 1: return false
        case .lessThanOrEqual where number >= 0 && number < 1: return false
        case .greaterThan where number >= 0 && number < 1: return true
        case .greaterThanOrEqual where number > 0 && number <= 1: return true
        default: return nil
        }
    }
}
