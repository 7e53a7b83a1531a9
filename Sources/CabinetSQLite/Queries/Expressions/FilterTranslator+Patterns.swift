import Cabinet
import Foundation

/// The operators that look at the ends of a text, or at its pattern.
extension FilterTranslator {
    mutating func beginning(_ left: SQLOperand, _ right: SQLOperand) -> SQLCondition? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .value(.string(let prefix))) where term.kind == .text:
            if prefix.isEmpty { return .never }
            if !term.isColumn, Self.isLong(prefix) { return test(left, .beginsWith, right, []) }
            let parameter = builder.parameter(.text(prefix))
            // A range can be found by an index; where there is none, the term is computed once.
            guard term.isColumn else { return term.condition("instr(\(term.text), \(parameter)) = 1") }
            let lower = SQLCondition.sql("\(term.text) >= \(parameter)")
            guard let bound = Self.upperBound(ofPrefix: prefix) else { return lower }
            return .all([lower, .sql("\(term.text) < \(builder.parameter(.text(bound)))")])
        default: return test(left, .beginsWith, right, [])
        }
    }

    /// The first text, in the order of scalars, that comes after all that begin with a prefix; `nil` if none does.
    static func upperBound(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no scalars: the next one after U+D7FF is U+E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var bound = String.UnicodeScalarView()
            bound.append(contentsOf: scalars)
            return String(bound)
        }
        return nil
    }

    mutating func ending(_ left: SQLOperand, _ right: SQLOperand) -> SQLCondition? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .value(.string(let end))) where term.kind == .text: return ending(term, end)
        default: return test(left, .endsWith, right, [])
        }
    }

    /// The last bytes are compared, because SQL's `length` of a text ends at a NUL; a BLOB's does not.
    private mutating func ending(_ term: SQLTerm, _ end: String) -> SQLCondition {
        if end.isEmpty { return .never }
        let bytes = builder.parameter(.blob(Data(end.utf8)))
        return .sql("substr(CAST(\(term.text) AS BLOB), -\(end.utf8.count)) = \(bytes)", depth: term.depth + 2)
    }

    /// The patterns of LIKE that have a `*` at their ends alone are SQL's; its own LIKE knows neither case nor scalars
    /// well.
    mutating func pattern(_ left: SQLOperand, _ right: SQLOperand) -> SQLCondition? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .value(.string(let pattern))) where term.kind == .text:
            let parts = pattern.utf8.split(separator: UInt8(ascii: "*")).map { String(decoding: $0, as: UTF8.self) }
            if parts.count > 1 || pattern.utf8.contains(UInt8(ascii: "?")) { return test(left, .like, right, []) }
            let isOpenBefore = pattern.utf8.first == UInt8(ascii: "*")
            let isOpenAfter = pattern.utf8.last == UInt8(ascii: "*")
            guard let part = parts.first else {
                return term.condition(isOpenBefore ? "\(term.text) IS NOT NULL" : "\(term.text) = ''")
            }
            switch (isOpenBefore, isOpenAfter) {
            case (false, false): return term.condition("\(term.text) = \(builder.parameter(.text(part)))")
            case (false, true): return beginning(left, .value(.string(part)))
            case (true, false): return ending(term, part)
            case (true, true):
                if Self.isLong(part) { return test(left, .contains, .value(.string(part)), []) }
                return term.condition("instr(\(term.text), \(builder.parameter(.text(part)))) > 0")
            }
        default: return test(left, .like, right, [])
        }
    }

    /// A comparison of texts that the core makes itself, called for each row.
    ///
    /// - Parameter options: The options that the operator sees to itself.
    mutating func test(
        _ left: SQLOperand, _ operator: Filter.Operator, _ right: SQLOperand, _ options: Filter.Options
    ) -> SQLCondition? {
        if case .null = left { return .never }
        if case .null = right { return .never }
        guard left.isText, right.isText else { return nil }
        // A pattern that a record holds may be malformed, which is an error for the record that is compared with it.
        if `operator` == .matches, case .term = right { return nil }
        var depth = 1
        var arguments: [String] = []
        for operand in [left, right] {
            switch operand {
            case .term(let term):
                arguments.append(term.text)
                depth = max(depth, term.depth + 2)
            case .value(let value):
                guard let parameter = parameter(value) else { return nil }
                arguments.append(parameter)
            default: return nil
            }
        }
        return .sql(
            "cabinet_test(\(arguments[0]), '\(`operator`.rawValue)', \(arguments[1]), \(options.rawValue))",
            depth: depth)
    }

    /// A search for words in all searchable fields, without an index.
    mutating func tests(of comparison: Filter.Comparison) -> SQLCondition? {
        guard comparison.operator == .tokenMatches, comparison.quantifier == .single else { return nil }
        let words = operand(comparison.right)
        var conditions: [SQLCondition] = []
        for key in terms.fields.searchable {
            guard let condition = test(operand(.field(key)), .tokenMatches, words, []) else { return nil }
            conditions.append(condition)
        }
        return .any(conditions)
    }
}
