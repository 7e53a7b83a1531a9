import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite("Filters of any size and nesting: parsed in linear time, or refused; never a trap")
struct FilterScaleTests {
    private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    @Test("A chain of 30,000 terms is one level, and is evaluated")
    func chain() throws {
        let count = 30_000
        let text = (0..<count).map { "n != \($0)" }.joined(separator: " AND ")
        let filter = try Filter(text)
        guard case .and(let terms) = filter else {
            Issue.record("not a chain")
            return
        }
        #expect(terms.count == count)
        #expect(terms.last == (.field("n") != count - 1))
        var record = Record(recordType: "Items")
        record["n"] = -1
        #expect(try filter.matches(record))
        record["n"] = count - 1
        #expect(try !filter.matches(record))
    }

    @Test("A chain whose parentheses nest to the left is one level too, and takes no quadratic time")
    func leftNested() throws {
        let count = 50_000
        let filter = try Filter(repeated("(", count) + "n != 0" + repeated(" AND n != 1)", count))
        guard case .and(let terms) = filter else {
            Issue.record("not a chain")
            return
        }
        #expect(terms.count == count + 1)
    }

    @Test("Parentheses cost no depth: hundreds of thousands of them, around a value or a comparison")
    func parentheses() throws {
        let count = 200_000
        #expect(try Filter(repeated("(", count) + "a" + repeated(")", count) + " == 1") == (.field("a") == 1))
        #expect(try Filter(repeated("(", count) + "a == 1" + repeated(")", count)) == (.field("a") == 1))
    }

    @Test("Levels of NOT, AND, OR and lists are bounded")
    func depth() throws {
        let most = Filter.maximumDepth
        _ = try Filter(repeated("NOT ", most - 1) + "a == 1")
        expectInvalidArguments { try Filter(repeated("NOT ", most) + "a == 1") }
        expectInvalidArguments { try Filter(repeated("!", 50_000) + "a == 1") }

        func mixed(_ levels: Int) -> String {
            repeated("(a == 1 AND (b == 2 OR ", levels) + "c == 3" + repeated("))", levels)
        }
        _ = try Filter(mixed((most - 1) / 2))
        expectInvalidArguments { try Filter(mixed(most / 2 + 1)) }
        expectInvalidArguments { try Filter(mixed(10_000)) }
        expectInvalidArguments {
            try Filter(repeated("(a == 1 AND ", 10_000) + "a == 1" + repeated(")", 10_000))
        }

        _ = try Filter(repeated("-", most - 1) + "a == 1")
        expectInvalidArguments { try Filter(repeated("-", most) + "a == 1") }
        _ = try Filter(repeated("a+", most - 1) + "a == 1")
        expectInvalidArguments { try Filter(repeated("a+", most) + "a == 1") }
        _ = try Filter(repeated("a**", most - 1) + "a == 1")
        expectInvalidArguments { try Filter(repeated("a**", most) + "a == 1") }
        _ = try Filter("a" + repeated("[0]", most - 1) + " == 1")
        expectInvalidArguments { try Filter("a" + repeated("[0]", most) + " == 1") }
        _ = try Filter(repeated("a[", most - 1) + "0" + repeated("]", most - 1) + " == 1")
        expectInvalidArguments { try Filter(repeated("a[", most) + "0" + repeated("]", most) + " == 1") }
        _ = try Filter("a" + repeated(".a", FieldPath.maximumLength - 1) + " == 1")
        expectInvalidArguments { try Filter("a" + repeated(".a", FieldPath.maximumLength) + " == 1") }
        expectInvalidArguments { try Filter("%K == 1", "a" + repeated(".a", FieldPath.maximumLength)) }

        _ = try Filter("a IN " + repeated("{", most - 1) + repeated("}", most - 1))
        expectInvalidArguments {
            try Filter("a IN " + repeated("{", 30_000) + repeated("}", 30_000))
        }
    }

    @Test("Unbalanced and endless texts are refused")
    func hostile() {
        let length = 30_000
        let texts = [
            repeated("(", length), repeated("{", length), repeated(")", length), repeated("a", length),
            repeated("a == 1 AND ", length / 10), repeated("'", length - 1), repeated("9", length),
            "a IN {" + repeated("1,", length / 2), repeated("a(", length / 2), repeated("a.", length / 2) + "a",
            repeated("%@", length / 2), repeated("a == 1 (", length / 8), repeated("NOT(", length / 4),
            repeated("= ", length / 2), repeated("-", length), repeated("a[", length / 2),
            repeated("\u{301}", length / 2), repeated("a+", length / 2) + "a == 1",
            repeated("a**", length / 3) + "a == 1",
            repeated("-", length) + "a == 1", repeated("- ", length / 2) + "1 == a",
            repeated("(a+1)*", length / 6) + "1 == a",
            "a" + repeated("[0]", length / 3) + " == 1", "a" + repeated("[0].b", length / 5) + " == 1",
            "a" + repeated("[first", length / 6), "$x" + repeated(".a", length / 2),
            "a" + repeated(". @sum", length / 6),
            repeated("distanceToLocation:fromLocation:(", length / 32),
            repeated("a[", length / 3) + repeated("]", length / 3),
            "a TOKENMATCHES " + repeated("tokenize:using:(", length / 16), "a[" + repeated(" ", length),
            "a" + repeated(" ", length),
            repeated("#a.", length / 3), repeated("a[ ", length / 3),
        ]
        for text in texts {
            expectInvalidArguments("\(text.prefix(12))") { try Filter(text) }
        }
    }

    @Test("Texts and lists of megabytes are read")
    func large() throws {
        let text = repeated("x", 1_000_000)
        #expect(try Filter("a == '\(text)'") == (.field("a") == text))
        let list = "{" + (0..<100_000).map(String.init).joined(separator: ", ") + "}"
        #expect(try Filter("a IN \(list)") == .field("a").isIn(0..<100_000))
        #expect(try Filter(list + " CONTAINS a").description == list + " CONTAINS a")
    }

    @Test("Random bytes and random words never trap")
    func random() {
        var generator = SeededGenerator(seed: 7)
        let words = [
            "a", "b", "==", "!=", "<", "(", ")", "{", "}", ",", "AND", "OR", "NOT", "IN", "BETWEEN", "1", "2.5", "'x'",
            "%@", "%K",
            "%d", "NIL", "TRUE", "TRUEPREDICATE", "#", "-", ".", "[c]", "\u{301}", "$", "IS", "\\", "'", "BEGINSWITH",
            "+", "**", "[0]", "[FIRST]", ".", "@count", "SELF", "$x", "TOKENMATCHES",
            "distanceToLocation:fromLocation:(",
            "LIKE", "MATCHES", "ENDSWITH", "ANY", "ALL", "[cd]", "[", "]",
            "\0", "👩‍👧",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14, using: &generator))
                .compactMap { _ in words.randomElement(using: &generator) }
                .joined(separator: Bool.random(using: &generator) ? " " : "")
            do {
                let filter = try Filter(text, 1, "a", "b")
                #expect(try Filter(filter.description) == filter, "\(text)")
            } catch {
                #expect((error as? CabinetError)?.code == .invalidArguments)
            }
        }
    }

    @Test("A tree that was built too deep is refused wherever it is used")
    func builtTooDeep() throws {
        var filter: Filter = .field("a") == 1
        for _ in 0..<2 * Filter.maximumDepth { filter = !filter }
        expectInvalidArguments { try filter.validate(fields: [:]) }
        expectInvalidArguments { try CompiledFilter(filter, fields: [:]) }
        expectInvalidArguments { try filter.matches(Record(recordType: "Items")) }
        expectInvalidArguments { try JSONEncoder().encode(filter) }
        expectInvalidArguments {
            try QueryPlan(recordType: "Items", filter: filter, fields: [:]).page(of: [])
        }
        var list: Filter.Expression = .list([])
        for _ in 0..<2 * Filter.maximumDepth { list = .list([list]) }
        expectInvalidArguments {
            try Filter.comparison(Filter.Comparison(.field("a"), .equal, list)).validate(fields: [:])
        }
    }

    @Test("Searching a long text takes no quadratic time", .timeLimit(.minutes(15)))
    func search() throws {
        var record = Record(recordType: "Items")
        record["s"] = repeated("a", 1_000_000)
        let part = repeated("a", 400_000) + "b" + repeated("a", 99_999)
        #expect(try !Filter("s CONTAINS %@", part).matches(record))
        #expect(try Filter("s CONTAINS %@", repeated("a", 500_000)).matches(record))
        record["s"] = repeated(part.replacing("b", with: "c"), 2) + part + "x"
        #expect(try Filter("s CONTAINS %@", part).matches(record))

        // Both ways of searching, compared with a third.
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            let text = (0..<200).map { _ in Bool.random(using: &generator) ? "a" : "b" }.joined()
            let length = Int.random(in: 1...12, using: &generator)
            let sought = (0..<length).map { _ in Bool.random(using: &generator) ? "a" : "b" }.joined()
            record["s"] = text
            #expect(try Filter("s CONTAINS %@", sought).matches(record) == text.contains(sought))
        }
    }

    @Test("The deepest filter fits the smallest stack that a thread has: 512 KB")
    func smallStack() async throws {
        let most = Filter.maximumDepth - 1
        let texts = [
            repeated("NOT ", most) + "a == 1",
            repeated("(a == 1 AND (b == 2 OR ", most / 2) + "c == 3" + repeated("))", most / 2),
            "a IN " + repeated("{", most) + repeated("}", most),
            repeated("-", most) + "a == 1", repeated("a + ", most) + "a == 1", repeated("a ** ", most) + "a == 1",
            repeated("numbers[", most) + "0" + repeated("]", most) + " == 1",
        ]
        for text in texts {
            let passed = await withCheckedContinuation { continuation in
                let thread = Thread {
                    continuation.resume(returning: Self.use(text))
                }
                thread.stackSize = 512 * 1024
                thread.start()
            }
            #expect(passed, "\(text.prefix(30))")
        }
    }

    /// Runs every function that traverses a filter's tree.
    private static func use(_ text: String) -> Bool {
        do {
            let filter = try Filter(text)
            let coded = try JSONDecoder().decode(Filter.self, from: JSONEncoder().encode(filter))
            var record = Record(recordType: "Items")
            record["a"] = 1
            _ = try filter.matches(record)
            return try coded == filter && coded.hashValue == filter.hashValue && Filter(filter.description) == filter
        } catch {
            Issue.record(error)
            return false
        }
    }
}
