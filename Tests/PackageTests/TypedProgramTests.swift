import Foundation
import Testing

@Suite("Typed fields: what is wrong does not compile, and what is right compiles quickly", .serialized)
struct TypedProgramTests {
    /// A statement that must not compile, the field at which the compiler points, and a part of its message.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let statement: String
        let field: String
        let message: String

        init(_ statement: String, at field: String, _ message: String) {
            (self.statement, self.field, self.message) = (statement, field, message)
        }

        var testDescription: String { statement }
    }

    @Test(
        "The compiler refuses a mistake, and its message names the field",
        arguments: [
            Mistake("_ = item.nmae", at: "nmae", "'Typed<Items>' has no dynamic member 'nmae'"),
            Mistake(
                "_ = try await items.all(where: { $0.nmae == \"Milk\" })", at: "nmae", "'Items' has no member 'nmae'"),
            Mistake("_ = try await items.save { $0.nmae = \"Milk\" }", at: "nmae", "has no dynamic member 'nmae'"),
            Mistake("_ = try await items.all(by: \\.nmae)", at: "nmae", "'Items' has no member 'nmae'"),
            Mistake(
                "_ = try await items.count { $0.list.to.nmae == \"A\" }", at: "nmae",
                "'LinkedFields<Lists>' has no dynamic member 'nmae'"),
            Mistake("item.number = \"two\"", at: "number", "cannot assign value of type 'String' to type 'Int'"),
            Mistake("_ = try await items.count { $0.number == \"two\" }", at: "number", "'Field<Int>'"),
            Mistake(
                "_ = try await items.count { $0.number > 1.5 }", at: "number",
                "'Double' to expected argument type 'Field<Int>"),
            Mistake("_ = try await items.count { $0.sizes.any == \"two\" }", at: "sizes", "ElementTerm"),
            Mistake("item.list = tag.id", at: "list", "'TypedID<Tags>' to type 'TypedID<Lists>'"),
            Mistake("_ = try await items.count { $0.list == tag.id }", at: "list", "'TypedID<Tags>'"),
            Mistake(
                "_ = try await items.update(list.id) { $0.number += 1 }", at: "list",
                "'TypedID<Lists>' to expected argument type 'TypedID<Items>'"),
            Mistake(
                "_ = try await items.all(by: \\.tags)", at: "tags",
                "'Links<Tags>' cannot be converted to contextual type 'any TypedOrder'"),
            Mistake(
                "_ = try await items.all(by: \\.sizes)", at: "sizes",
                "'Field<[Int]>' cannot be converted to contextual type 'any TypedOrder'"),
            Mistake("_ = try await items.counts(by: \\.tags)", at: "tags", "ContentShape.List"),
            Mistake("_ = try await items.sum(of: \\.name)", at: "name", "'String') conform to 'Numeric'"),
            Mistake(
                "_ = try await items.count { $0.number == $0.name }", at: "number",
                "'Field<Int>.Compared' (aka 'Int') and 'Field<String>.Compared'"),
            Mistake("_ = try await items.all(including: \\.name)", at: "name", "'any LinkSelection'"),
            Mistake(
                "_ = try await notes.save(.init(text: \"Ask\"))", at: "list", "missing argument for parameter 'list'"),
            Mistake("_ = try await notes.save { $0.text = \"Ask\" }", at: "text", "'Notes.Required'"),
            Mistake("item.creationDate = nil", at: "creationDate", "'SystemValue<Date>' conform to 'SettableField'"),
            Mistake("_ = Field<Date>(\"due\")", at: "due", "'Date' conform to 'EmptyFieldContent'"),
        ])
    func refuses(_ mistake: Mistake) throws {
        let outcome = try TypedPrograms.check(mistake.statement)
        #expect(!outcome.succeeded)
        #expect(outcome.messages.contains(mistake.message), "\(outcome.messages)")
        let lines = outcome.messages.split(separator: "\n")
        #expect(lines.contains { $0.contains(mistake.field) }, "\(outcome.messages)")
    }

    /// Filters of ten terms, one a line.
    private static let filters = [
        """
        $0.number == 1 && $0.number != 2 && $0.number > 3 && $0.number < 4 && $0.number >= 5 && $0.number <= 6 \
        && $0.number == 7 && $0.number == 8 && $0.number == 9 && $0.number == 10
        """,
        """
        $0.number == 1 || $0.name == "a" && $0.kind == .food || $0.price > 3 && $0.list == list.id && !($0.number < 4) \
        || $0.due > Date.now && $0.name.contains("x") || $0.tags.contains(tag.id) && $0.place.distance(to: here) < 500
        """,
        """
        $0.number * 2 + 1 > 3 && $0.price * 1.5 > 2 && $0.number - 1 < $0.number && $0.price / 2 >= 7 \
        && $0.name == $0.list.to.name && $0.kind != nil && $0.kind == nil && $0.number.isIn(1...5) \
        && $0.number.isIn([1, 2]) && $0.tags.any.to.name == "b"
        """,
        """
        $0.number + 1 + 2 + 3 * 4 > 3 && $0.price * 1.5 + 2 - 7 > 2 + 3 && $0.number - 1 * 2 < $0.number + 3 \
        && $0.price / 2 >= 7 && $0.price * 2 < -1 && $0.number == 1 + 2 && $0.number > 1 && $0.number < -3 && $0.price > -2 \
        && $0.price < 10
        """,
        """
        $0.name.hasPrefix("a") || $0.name.hasSuffix("b", options: .caseInsensitive) || $0.name.matches("c.*") \
        || $0.name.like("d*") || $0.name.matchesTokens("e") || $0.matchesTokens("f") || $0.sizes.any > 3 || $0.sizes.all < 5 \
        || $0.sizes.none == 7 || $0.creationDate < Date.now
        """,
    ]

    @Test("The types of a filter with ten terms are checked in less than 100 ms")
    func cost() throws {
        #expect(try Self.slow(Self.filters.map { $0.replacing("\n", with: " ") }) == [])
    }

    @Test("A filter whose types take longer is reported")
    func highCost() throws {
        // Values on the left side compile nowhere, and cost seconds before that is known.
        let filter = "1 + 2 * 3 < $0.price && $0.number > 3"
        #expect(try Self.slow(["$0.number > 3", filter], compile: false) == [filter])
    }

    /// Returns the filters whose types take 100 ms or longer to check.
    private static func slow(_ filters: [String], compile: Bool = true) throws -> [String] {
        // The first statement loads the modules and the operators.
        let warm = "$0.number + 1 == 1 && $0.name == \"a\" || !($0.number > 1)"
        let statements = ([warm] + filters).map { "_ = try await items.count { \($0) }" }
        let outcome = try TypedPrograms.check(statements.joined(separator: "\n"))
        #expect(outcome.succeeded == compile, "\(outcome.messages)")
        // Some filters take more than a millisecond. Without a time, nothing would be proved.
        #expect(!outcome.milliseconds.isEmpty, "\(outcome.messages)")
        return filters.enumerated().filter { (outcome.milliseconds[$0.offset + 2] ?? 0) >= 100 }.map(\.element)
    }
}
