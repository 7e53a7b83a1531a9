import Cabinet
import Foundation
import Testing

@Suite("Filters that Swift's operators build to many thousand levels are refused when they are used")
struct DeepBuildingTests {
    private static let kinds = ["!", "&&", "||", "+", "-", "power", "index", "member", "distance", "list"]

    /// Each step doubles the filter, so that the hundredth has more parts than a 64-bit number can count.
    @Test func builtFromItself() {
        var filter: Filter = .field("n") == 1
        var operand: Filter.Expression = .field("n")
        for _ in 0..<99 {
            filter = filter && !filter
            operand = operand + operand
        }
        #expect(throws: CabinetError.self) { try filter.validate(fields: ["n": .int64]) }
        #expect(throws: CabinetError.self) { try (operand == 1).validate(fields: ["n": .int64]) }
    }

    /// Builds a filter on a thread with the smallest stack, uses it in every way, and frees it there.
    @Test(arguments: kinds, [101, 8_000])
    func tooDeep(kind: String, levels: Int) async {
        let codes = await withCheckedContinuation { continuation in
            let thread = Thread {
                let filter = Self.filter(kind, levels)
                #expect(Set([filter, Self.filter(kind, levels)]).count == 1)
                #expect(filter.description.utf8.count < 10_000)
                #expect(filter.substituting(["x": 1]) == filter)
                let uses: [() throws -> Void] = [
                    { try filter.validate(fields: ["n": .int64]) },
                    { _ = try filter.matches(Record(recordType: "Items")) },
                    { _ = try JSONEncoder().encode(filter) },
                    { _ = try CompiledFilter(filter && .field("n") == 1, fields: ["n": .int64]) },
                ]
                continuation.resume(
                    returning: uses.map { use -> CabinetError? in
                        do { try use() } catch { return error as? CabinetError }
                        return nil
                    })
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        for error in codes {
            #expect(error?.code == .invalidArguments)
            #expect(error?.message.contains("more than 100 levels") == true)
        }
    }

    @Test("A filter of just as many levels as are allowed is built", arguments: kinds)
    func deepest(kind: String) throws {
        // The innermost comparison is a level, and so is the comparison around an operand.
        let levels = Filter.maximumDepth - 2
        let filter = Self.filter(kind, kind == "member" ? levels / 2 : levels)
        let decoded = try JSONDecoder().decode(Filter.self, from: JSONEncoder().encode(filter))
        #expect(decoded == filter)
    }

    @Test("A long chain of operators is one level")
    func chain() throws {
        let filter = (0..<2_000).reduce(Filter.field("n") == -1) { $0 || .field("n") == $1 }
        try filter.validate(fields: ["n": .int64])
    }

    private static func filter(_ kind: String, _ levels: Int) -> Filter {
        let leaf = Filter.field("n") == 1
        let n = Filter.Expression.field("n")
        let place = Filter.Expression.field("place")
        func operand(_ step: (Filter.Expression) -> Filter.Expression) -> Filter.Expression {
            (0..<levels).reduce(n) { operand, _ in step(operand) }
        }
        return switch kind {
        case "!": (0..<levels).reduce(leaf) { filter, _ in !filter }
        case "&&": (0..<levels).reduce(leaf) { filter, _ in leaf && filter }
        case "||": (0..<levels).reduce(leaf) { filter, _ in leaf || filter }
        case "+": operand { $0 + 1 } == 1
        case "-": operand { -$0 } == 1
        case "power": operand { Filter.Expression(2).toThePower($0) } == 1
        case "index": operand { Filter.Expression([1])[$0] } == 1
        case "member": operand { $0.first.member("n") } == 1
        case "distance": operand { place.distance(to: $0) } == 1
        default: n == operand { Filter.Expression(list: [$0, n]) }
        }
    }
}
