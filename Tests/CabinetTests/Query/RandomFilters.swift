import Cabinet
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
        let bits = Bool.random(using: &generator) ? 0 : Int.random(in: 1...3, using: &generator)
        let options = Filter.Options(rawValue: bits)
        let quantifier = Filter.Quantifier.allCases.randomElement(using: &generator) ?? .single
        return .comparison(
            Filter.Comparison(
                expression(depth: 1), operation, expression(depth: 2), options: options, quantifier: quantifier))
    }

    private mutating func expression(depth: Int) -> Filter.Expression {
        switch Int.random(in: 0..<(depth == 0 ? 7 : 9), using: &generator) {
        case 0, 1: return .field(["a", "b", "IN", "size", "recordID", "_x9"].randomElement(using: &generator) ?? "a")
        case 2: return .constant(nil)
        case 3: return .constant(.string(text()))
        case 4: return .constant(.int64([.min, -1, 0, 1, 5, .max].randomElement(using: &generator) ?? 0))
        case 5: return .constant(.double(Double(bitPattern: .random(in: 0..<0x7FF0_0000_0000_0000, using: &generator))))
        case 6: return .constant(.double([-0.0, 2, -1e16, 1e15, 0.1].randomElement(using: &generator) ?? 0))
        default:
            let count = Int.random(in: 0...3, using: &generator)
            return Filter.Expression(list: (0..<count).map { _ in expression(depth: depth - 1) })
        }
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
