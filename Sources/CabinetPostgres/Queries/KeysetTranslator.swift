import Cabinet
import SQLSupport

/// Translates the order of a query, and a position in it, to SQL.
///
/// Indexes have only the beginnings of texts. As long as no text is longer, the order by beginnings is the order, and the rows are
/// found in it, one after the other; so that is how a page is looked for first. Where a text turns out to be longer, the page is
/// looked for again by the whole texts.
struct KeysetTranslator {
    /// A sort key: an expression, or `nil` for what is nil in every record.
    private struct Key {
        let term: SQLTerm?
        /// The field that the rows themselves have it in.
        var field: Record.FieldKey?
        let ascending: Bool

        /// The expressions that rows are sorted by.
        func columns(isWhole: Bool) -> [String] {
            guard let term else { return [] }
            guard let key = term.key else { return [term.text] }
            return isWhole ? [key.text, term.text] : [key.text]
        }

        /// The terms of ORDER BY: nil comes first, where PostgreSQL has NULL last.
        ///
        /// A record name is never null, and the primary key has it without a word about nulls.
        func order(isWhole: Bool) -> [String] {
            let (up, down) = term?.isID == true ? ("ASC", "DESC") : ("ASC NULLS FIRST", "DESC NULLS LAST")
            return columns(isWhole: isWhole).map { "\($0) \(ascending ? up : down)" }
        }
    }

    private let keys: [Key]
    /// The number of a row's insertion, which is the last key of every order.
    private let insertionNumber: String
    /// The number of keys that no two rows have in common; `nil` if rows may have all in common.
    private let uniqueCount: Int?
    /// Whether an index may have the rows in this order.
    private let isIndexed: Bool
    /// Whether rows are sorted by whole texts.
    var isWhole: Bool

    /// - Returns: `nil` if SQL cannot sort so.
    init?(plan: QueryPlan, terms: RowTerms, scope: ZoneScope) {
        var keys: [Key] = []
        for sort in plan.order {
            switch terms.meaning(of: sort.key) {
            case .unknown: return nil
            case .nothing: keys.append(Key(term: nil, ascending: sort.ascending))
            case .term(let term):
                // PostgreSQL does not know what text is sorted by under options, nor distances to the last digit.
                if sort.origin != nil || !sort.options.isEmpty && term.kind == .text { return nil }
                guard term.kind != nil, term.inexactCases.isEmpty else { return nil }
                let field = term.column == nil ? nil : sort.key
                keys.append(Key(term: term, field: field, ascending: sort.ascending))
            }
        }
        self.keys = keys
        insertionNumber = "\(terms.name).\"___insertion\""
        // In one zone, no two records have the same name.
        var isInOneZone = false
        if case .one = scope { isInOneZone = true }
        let namedKey = isInOneZone ? keys.firstIndex { $0.term?.isID == true } : nil
        uniqueCount = isInOneZone && plan.filter.namesOneRecord ? 0 : namedKey.map { $0 + 1 }
        isIndexed =
            keys.first?.term.map { term in
                guard let column = term.column else { return false }
                if term.isID { return isInOneZone }
                let key = TableIndexes.key(of: column, type: term.type)
                return terms.table.built.trees.contains { $0.keys.contains("\(key) NULLS FIRST") }
            } ?? false
        // A position between long texts is found by the whole of them.
        isWhole = !zip(keys, plan.position?.values ?? []).allSatisfy { key, value in
            guard let key = key.term?.key, let value = value?.sqlValue else { return true }
            return key.isWhole(value)
        }
    }

    /// Whether the rows of every stretch come from an index one by one; where keys go down, those with equal keys are sorted.
    var isAscending: Bool { keys.allSatisfy(\.ascending) }

    /// Whether the order by the beginnings of texts may not be the order.
    var isCut: Bool { !isWhole && keys.contains { $0.term?.key != nil } }

    /// What was cut off of which keys, and the fields of these, if the rows themselves have them.
    var cutKeys: [(field: Record.FieldKey?, key: SQLKey)] {
        keys.compactMap { key in key.term?.key.map { (key.field, $0) } }
    }

    /// The expression that tells whether a row has a text, or bytes, of which only the beginning was compared.
    var isLong: String {
        let tests = keys.compactMap { key -> String? in
            guard let term = key.term, let cut = term.key else { return nil }
            // Bytes are counted already; characters are counted only where they may be enough.
            let length = "octet_length(\(term.text)) >= \(cut.length)"
            return "coalesce(\(cut.isOfBytes ? length : "\(length) AND length(\(cut.text)) >= \(cut.length)"), FALSE)"
        }
        return tests.isEmpty ? "FALSE" : tests.joined(separator: " OR ")
    }

    /// The clause that sorts rows; empty if there is one row at most.
    var order: String {
        var terms = keys.prefix(uniqueCount ?? keys.count).flatMap { $0.order(isWhole: isWhole) }
        if uniqueCount == nil { terms.append(insertionNumber) }
        return terms.isEmpty ? "" : " ORDER BY \(terms.joined(separator: ", "))"
    }

    /// The condition that all rows meet and that lets PostgreSQL use the index of insertion numbers, which is partial, for the order.
    ///
    /// Only a strict comparison implies that a number is not null, and no number is negative.
    var isInIndex: SQLCondition {
        guard keys.allSatisfy({ $0.term == nil }), uniqueCount == nil else { return .always }
        return .sql("\(insertionNumber) >= 0")
    }

    // MARK: Positions

    /// The conditions that a row comes after a position in the order: each holds for a range of the order, and one range follows the
    /// other.
    ///
    /// In a range some keys are those of the position and the next one lies beyond, so that an index finds its beginning, however many
    /// rows come before. Without an index there is one range, so that the rows are read once.
    func stretches(after position: QueryPosition, _ builder: inout SQLBuilder) -> [SQLCondition] {
        let parameters = zip(keys, position.values).map { key, value in
            // What SQL cannot compare stands for a key that no record has.
            value.map { builder.parameter($0.sqlValue ?? .text("")) }
        }
        let number = builder.parameter(.integer(position.insertionNumber))
        if let row = row(after: parameters, number) { return [row] }
        let same = zip(keys, parameters).map { self.same($0, $1) }
        var stretches = [SQLCondition.all(same + [.sql("\(insertionNumber) > \(number)")])]
        for (index, (key, parameter)) in zip(keys, parameters).enumerated().reversed() {
            for beyond in beyond(key, parameter) { stretches.append(.all(same[..<index] + [beyond])) }
        }
        return isIndexed || stretches.count == 1 ? stretches : [.any(stretches)]
    }

    /// The condition as a comparison of rows, for which an index is entered once.
    ///
    /// - Returns: `nil` if the keys go in several directions, or if one is nil, which rows are not compared by.
    private func row(after parameters: [String?], _ number: String) -> SQLCondition? {
        if keys.isEmpty { return nil }
        var columns: [String] = []
        var values: [String] = []
        for (key, parameter) in zip(keys, parameters) {
            guard let term = key.term, let parameter, key.ascending else { return nil }
            columns += key.columns(isWhole: isWhole)
            if term.key != nil, isWhole { values.append(TableIndexes.key(of: parameter, type: term.type)) }
            values.append(parameter)
        }
        columns.append(insertionNumber)
        values.append(number)
        return .sql("(\(columns.joined(separator: ", "))) > (\(values.joined(separator: ", ")))")
    }

    /// The condition that a key has the value of the position's.
    private func same(_ key: Key, _ parameter: String?) -> SQLCondition {
        switch (key.term, parameter) {
        case (nil, nil): return .always
        case (nil, _?): return .never
        case (let term?, nil): return .sql("\(term.key?.text ?? term.text) IS NULL")
        case (let term?, let parameter?):
            guard let cut = term.key else { return .sql("\(term.text) = \(parameter)") }
            if !isWhole { return .sql("\(cut.text) = \(parameter)") }
            return .sql(
                "\(cut.text) = \(TableIndexes.key(of: parameter, type: term.type)) AND \(term.text) = \(parameter)")
        }
    }

    /// The conditions that a key has a value after the position's, in their order.
    private func beyond(_ key: Key, _ parameter: String?) -> [SQLCondition] {
        switch (key.term, parameter) {
        case (nil, nil): return []
        case (nil, _?): return key.ascending ? [] : [.always]
        case (let term?, nil):
            return key.ascending ? [.sql("\(term.key?.text ?? term.text) IS NOT NULL")] : []
        case (let term?, let parameter?):
            let sign: OrderSign = key.ascending ? .greater : .less
            var condition = "\(term.key?.text ?? term.text) \(sign.rawValue) \(parameter)"
            if let cut = term.key, isWhole {
                condition =
                    "\(cut.text) \(sign.orEqual.rawValue) \(TableIndexes.key(of: parameter, type: term.type)) "
                    + "AND \(term.text) \(sign.rawValue) \(parameter)"
            }
            if key.ascending || term.isID { return [.sql(condition)] }
            return [.sql(condition), .sql("\(term.key?.text ?? term.text) IS NULL")]
        }
    }
}

extension Filter {
    /// Whether the filter matches at most one record of a zone, because it says which name the record has.
    fileprivate var namesOneRecord: Bool {
        switch self {
        case .comparison(let comparison):
            guard comparison.operator == .equal, case .field(SystemField.recordID.rawValue) = comparison.left,
                case .constant = comparison.right
            else { return false }
            return true
        case .and(let children): return children.contains(where: \.namesOneRecord)
        case .constant, .or, .not: return false
        }
    }
}
