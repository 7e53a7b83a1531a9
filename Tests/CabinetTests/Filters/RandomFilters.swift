import Cabinet
import CabinetTesting
import Foundation

/// Filters as the parser and the builders make them, drawn at random.
struct RandomFilters {
    var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func filter(depth: Int) -> Filter {
        switch Int.random(in: 0..<(depth == 0 ? 3 : 10), using: &generator) {
        case 0: return .constant(.random(using: &generator))
        case 1, 2: return comparison()
        case 3, 4: return .not(filter(depth: depth - 1))
        case 5, 6, 7:
            return .and(chain(depth: depth) { if case .and = $0 { true } else { false } })
        default:
            return .or(chain(depth: depth) { if case .or = $0 { true } else { false } })
        }
    }

    /// At least two filters, the first of them no chain of the same kind.
    private mutating func chain(depth: Int, isSame: (Filter) -> Bool) -> [Filter] {
        var filters = (0..<Int.random(in: 2...4, using: &generator)).map { _ in filter(depth: depth - 1) }
        while isSame(filters[0]) { filters[0] = filter(depth: depth - 1) }
        return filters
    }

    private mutating func comparison() -> Filter {
        let operation = Filter.Operator.allCases.randomElement(using: &generator) ?? .equal
        let quantifier = Filter.Quantifier.allCases.randomElement(using: &generator) ?? .single
        var bits = Bool.random(using: &generator) ? 0 : Int.random(in: 1...3, using: &generator)
        var left = expression(depth: 2)
        if operation == .tokenMatches {
            // The parser drops options that change nothing.
            bits = 0
            if Bool.random(using: &generator) { left = .searchableText }
        }
        return .comparison(
            Filter.Comparison(
                left, operation, expression(depth: 3), options: Filter.Options(rawValue: bits), quantifier: quantifier))
    }

    /// An operand; of depth 0 a field, a variable or a constant.
    mutating func expression(depth: Int) -> Filter.Expression {
        switch Int.random(in: 0..<(depth == 0 ? 8 : 20), using: &generator) {
        case 0, 1: return .field(path())
        case 2: return .variable(["x", "in", "_1"].randomElement(using: &generator) ?? "x")
        case 3: return .constant(nil)
        case 4: return .constant(.string(text()))
        case 5: return .constant(.int64([.min, -1, 0, 1, 5, .max].randomElement(using: &generator) ?? 0))
        case 6: return .constant(.double(Double(bitPattern: .random(in: 0..<0x7FF0_0000_0000_0000, using: &generator))))
        case 7: return .constant(.double([-0.0, 2, -1e16, 1e15, 0.1].randomElement(using: &generator) ?? 0))
        case 8...12:
            let operation = Filter.Arithmetic.allCases.randomElement(using: &generator) ?? .plus
            return .arithmetic(expression(depth: depth - 1), operation, expression(depth: depth - 1))
        case 13: return .negative(expression(depth: depth - 1))
        case 14: return .member(expression(depth: depth - 1), path(isContinued: true))
        case 15, 16: return .element(expression(depth: depth - 1), index(depth: depth - 1))
        case 17: return .distance(expression(depth: depth - 1), expression(depth: depth - 1))
        default:
            let count = Int.random(in: 0...3, using: &generator)
            return Filter.Expression(list: (0..<count).map { _ in expression(depth: depth - 1) })
        }
    }

    private mutating func index(depth: Int) -> Filter.Index {
        switch Int.random(in: 0...4, using: &generator) {
        case 0: .first
        case 1: .last
        case 2: .size
        default: .at(expression(depth: depth))
        }
    }

    private mutating func path(isContinued: Bool = false) -> String {
        let names = ["a", "b", "IN", "size", "recordID", "_x9", "SELF", "last", "allTokens", "TokenMatches"]
        let operators = ["@count", "@sum", "@sum.SELF", "@avg.a", "@min.b.IN", "@max"]
        var steps = (0..<Int.random(in: 1...3, using: &generator)).compactMap { _ in
            names.randomElement(using: &generator)
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            if isContinued, Bool.random(using: &generator) { steps = [] }
            steps.append(operators.randomElement(using: &generator) ?? "@count")
        }
        return steps.joined(separator: ".")
    }

    private mutating func text() -> String {
        let parts = [
            "", "a", "'", "\"", "\\", "\n", "\t", "\r", "\0", "%@", "é", "e\u{301}", "\u{301}", "👩‍👧", " AND ", "}",
            "\u{202E}",
        ]
        return (0..<Int.random(in: 0...5, using: &generator)).compactMap { _ in parts.randomElement(using: &generator) }
            .joined()
    }
}
