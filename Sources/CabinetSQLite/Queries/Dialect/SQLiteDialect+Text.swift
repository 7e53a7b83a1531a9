import Cabinet
import Foundation
import SQLSupport

/// Text operators. If SQL's own functions are not exact, Cabinet's functions run the evaluator for each row.
extension SQLiteDialect {
    static func folded(_ term: SQLTerm, _ options: Filter.Options) -> SQLTerm {
        SQLTerm(
            text: "cabinet_fold(\(term.text), \(options.rawValue))", type: term.type, depth: term.depth + 1)
    }

    static func value(_ json: FieldPath.JSON, in text: SQLTerm) -> SQLTerm? {
        let step = json.description
        // SQLite reads a statement up to a NUL.
        if step.utf8.contains(0) { return nil }
        return SQLTerm(
            text: "cabinet_json(\(text.text), \(SQLName.literal(step)))", type: FieldType(json.type),
            inexactCases: text.inexactCases, depth: text.depth + 1)
    }

    static func contains(_ part: SQLOperand, in text: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        switch (part, text) {
        case (.value(.string(let part)), .term(let term)) where term.kind == .text && !isLong(part):
            // SQL's `instr` compares all bytes, including NUL, and finds the empty text in every text.
            if part.isEmpty { return .never }
            return term.test("instr(\(term.text), \(translator.builder.parameter(.text(part)))) > 0")
        case (.term(let term), .value(.string(let text))) where term.kind == .text && !isLong(text):
            let parameter = translator.builder.parameter(.text(text))
            return term.test("instr(\(parameter), \(term.text)) > 0 AND \(term.text) <> ''")
        case (.value(.string), .term(let term)), (.term(let term), .value(.string)), (.term(let term), .term):
            return term.kind == .text ? test(text, .contains, part, [], &translator) : nil
        default: return nil
        }
    }

    /// Whether a text is too long for SQL's `instr`, whose worst-case cost is the product of both lengths.
    private static func isLong(_ part: String) -> Bool { part.utf8.count > 256 }

    static func begins(_ left: SQLOperand, with right: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        switch (left, right) {
        case (.term(let term), .value(.string(let prefix))) where term.kind == .text:
            if prefix.isEmpty { return .never }
            if !term.isColumn, isLong(prefix) { return test(left, .beginsWith, right, [], &translator) }
            let parameter = translator.builder.parameter(.text(prefix))
            // An index finds a range. Without an index, `instr` computes the term only once.
            guard term.isColumn else { return term.test("instr(\(term.text), \(parameter)) = 1") }
            let lower = term.test("\(term.text) >= \(parameter)")
            guard let bound = TextRange.upperBound(ofPrefix: prefix) else { return lower }
            return .all([lower, term.test("\(term.text) < \(translator.builder.parameter(.text(bound)))")])
        default: return test(left, .beginsWith, right, [], &translator)
        }
    }

    static func ends(_ left: SQLOperand, with right: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        switch (left, right) {
        case (.term(let term), .value(.string(let end))) where term.kind == .text: ends(term, with: end, &translator)
        default: test(left, .endsWith, right, [], &translator)
        }
    }

    /// Compares the last bytes as a BLOB, because SQL's `length` of a text ends at NUL.
    private static func ends(_ term: SQLTerm, with end: String, _ translator: inout Translator) -> SQLTest {
        if end.isEmpty { return .never }
        let bytes = translator.builder.parameter(.bytes(Data(end.utf8)))
        return SQLTest(
            .sql("substr(CAST(\(term.text) AS BLOB), -\(end.utf8.count)) = \(bytes)", depth: term.depth + 2))
    }

    /// Translates patterns with `*` only at their ends as ranges or searches.
    ///
    /// SQL's own LIKE treats neither case nor scalars as the filter language does.
    static func isLike(_ left: SQLOperand, _ right: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        switch (left, right) {
        case (.term(let term), .value(.string(let pattern))) where term.kind == .text:
            let parts = pattern.utf8.split(separator: UInt8(ascii: "*")).map { String(decoding: $0, as: UTF8.self) }
            if parts.count > 1 || pattern.utf8.contains(UInt8(ascii: "?")) {
                return test(left, .like, right, [], &translator)
            }
            let isOpenBefore = pattern.utf8.first == UInt8(ascii: "*")
            let isOpenAfter = pattern.utf8.last == UInt8(ascii: "*")
            guard let part = parts.first else {
                return term.test(isOpenBefore ? "\(term.text) IS NOT NULL" : "\(term.text) = ''")
            }
            switch (isOpenBefore, isOpenAfter) {
            case (false, false): return term.test("\(term.text) = \(translator.builder.parameter(.text(part)))")
            case (false, true): return begins(left, with: .value(.string(part)), &translator)
            case (true, false): return ends(term, with: part, &translator)
            case (true, true): return contains(.value(.string(part)), in: left, &translator)
            }
        default: return test(left, .like, right, [], &translator)
        }
    }

    static func matches(
        _ left: SQLOperand, _ right: SQLOperand, _ options: Filter.Options, _ translator: inout Translator
    ) -> SQLTest? {
        test(left, .matches, right, options, &translator)
    }

    static func hasWords(_ left: SQLOperand, _ right: SQLOperand, _ translator: inout Translator) -> SQLTest? {
        test(left, .tokenMatches, right, [], &translator)
    }

    /// Returns a comparison of texts that the core evaluates for each row.
    ///
    /// - Parameter options: The options that the operator applies itself.
    private static func test(
        _ left: SQLOperand, _ operator: Filter.Operator, _ right: SQLOperand, _ options: Filter.Options,
        _ translator: inout Translator
    ) -> SQLTest? {
        guard left.isText, right.isText else { return nil }
        // A malformed pattern in a record is an error only for the records that are compared with it.
        if `operator` == .matches, case .term = right { return nil }
        var depth = 1
        var arguments: [String] = []
        for operand in [left, right] {
            switch operand {
            case .term(let term):
                arguments.append(term.text)
                depth = max(depth, term.depth + 2)
            case .value(let value):
                guard let stored = value.sqlValue else { return nil }
                arguments.append(translator.builder.parameter(stored))
            default: return nil
            }
        }
        return SQLTest(
            .sql(
                "cabinet_test(\(arguments[0]), '\(`operator`.rawValue)', \(arguments[1]), \(options.rawValue))",
                depth: depth))
    }
}
