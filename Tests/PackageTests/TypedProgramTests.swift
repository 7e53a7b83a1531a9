import Foundation
import Testing

@Suite("Typed fields: what is wrong does not compile, and what is right compiles quickly", .serialized)
struct TypedProgramTests {
    /// A statement that must not compile, the field at which the compiler points, and a part of its message.
    struct Mistake: Sendable {
        let statement: String
        let field: String
        let message: String

        init(_ statement: String, at field: String, _ message: String) {
            self.statement = statement
            self.field = field
            self.message = message
        }
    }

    private static let mistakes = [
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
        Mistake("_ = try await items.count { $0.prices.any.isIn(1..<4) }", at: "isIn", "Use a closed range"),
        Mistake("item.list = tag.id", at: "list", "'TypedID<Tags>' to type 'TypedID<Lists>'"),
        Mistake("_ = try await items.count { $0.list == tag.id }", at: "list", "The ID is of another record type"),
        Mistake(
            "_ = try await items.update(list.id) { $0.number += 1 }", at: "list",
            "'TypedID<Lists>' to expected argument type 'TypedID<Items>'"),
        Mistake(
            "_ = try await items.all(by: \\.tags)", at: "tags",
            "'Links<Tags>' cannot be converted to contextual type 'any TypedOrder'"),
        Mistake(
            "_ = try await items.all(by: \\.sizes)", at: "sizes",
            "'Field<[Int]>' cannot be converted to contextual type 'any TypedOrder'"),
        Mistake("_ = try await items.counts(by: \\.tags)", at: "tags", "cannot be grouped by a list"),
        Mistake("_ = try await items.sum(of: \\.name)", at: "name", "'String') conform to 'Numeric'"),
        Mistake(
            "_ = try await items.count { $0.number == $0.name }", at: "number",
            "'Field<Int>.Compared' (aka 'Int') and 'Field<String>.Compared'"),
        Mistake("_ = try await items.all(including: \\.name)", at: "name", "'any LinkSelection'"),
        Mistake(
            "_ = try await notes.save(.init(text: \"Ask\"))", at: "list", "missing argument for parameter 'list'"),
        Mistake("_ = try await notes.save { $0.text = \"Ask\" }", at: "text", "'save(.init(…)) { … }'"),
        Mistake("item.creationDate = nil", at: "creationDate", "'SystemValue<Date>' conform to 'SettableField'"),
        Mistake("_ = Field<Date>(\"due\")", at: "due", "Make the type optional"),
        Mistake("_ = try await items.count { $0.list.name == \"A\" }", at: "name", "Write 'to' between a link"),
        Mistake("_ = try await items.count { $0.kind == 3 }", at: "kind", "Compare the field with a value of its type"),
        Mistake(
            "_ = try await items.count { $0.kind != \"food\" }", at: "kind",
            "Compare the field with a value of its type"),
        Mistake("_ = try await items.count { $0.list != tag.id }", at: "list", "The ID is of another record type"),
        Mistake("_ = try await items.count { $0.subject == item.id }", at: "subject", "'Link<OneOf<Lists, Tags>>'"),
        Mistake("_ = try await items.count { 5 < $0.number }", at: "number", "Write the field on the left side"),
        Mistake("_ = try await items.count { \"a\" == $0.name }", at: "name", "Write the field on the left side"),
        Mistake("_ = try await items.count { !$0.isOpen }", at: "isOpen", "Compare the field with a value"),
        Mistake("_ = try await items.count { $0.list == list }", at: "list", "Compare the link with the record's ID"),
        Mistake("_ = notes.make()", at: "make", "'make(.init(…))'"),
        Mistake("_ = Field<Kind>(\"kind\")", at: "kind", "Make the type optional"),
        Mistake(
            "_ = Field<Point>(\"at\")", at: "Point", "'Point' does not conform to protocol 'RecordValueOrOptional'"),
        Mistake("_ = Field<Point?>(\"at\")", at: "Point", "'Point' does not conform to protocol 'RecordValue'"),
        Mistake("_ = Field<[String: Int]>(\"n\")", at: "n", "does not conform to protocol 'RecordValueOrOptional'"),
        Mistake("_ = Field<Plain>(\"plain\")", at: "Plain", "does not conform to protocol 'RecordValueOrOptional'"),
        Mistake(
            "_ = try await items.count { $0.address.json.town == \"A\" }", at: "town",
            "'JSONMembers<Address.Fields>' has no dynamic member 'town'"),
        Mistake(
            "_ = try await items.count { $0.address.city == \"A\" }", at: "city",
            "'Field<Address?>' has no member 'city'"),
        Mistake("_ = try await items.count { $0.name.json.city == \"A\" }", at: "json", "conform to 'JSONRecordValue'"),
        Mistake("_ = try await items.count { $0.address.json.floor == \"A\" }", at: "floor", "'Field<Int?>'"),
        Mistake("_ = try await items.sums(of: \\.number, by: \\.tags)", at: "tags", "cannot be grouped by a list"),
    ]

    /// One run of the compiler, which reports every mistake.
    private static let refusals = Result { try TypedPrograms.check(mistakes.map(\.statement).joined(separator: "\n")) }

    @Test("The compiler refuses each mistake, and its message names the field", arguments: mistakes.indices)
    func refuses(_ index: Int) throws {
        let mistake = Self.mistakes[index]
        let messages = try Self.refusals.get().messagesByLine[index + 1] ?? ""
        #expect(messages.contains(mistake.message), "\(mistake.statement)\n\(messages)")
        #expect(messages.contains(mistake.field), "\(mistake.statement)\n\(messages)")
    }

    @Test("IDs of each type that a link can point to compile")
    func severalTypes() throws {
        let outcome = try TypedPrograms.check(
            "_ = try await items.count { $0.subject == list.id || $0.subject != tag.id && $0.subject == nil }")
        #expect(outcome.succeeded, "\(outcome.messages)")
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
        $0.address.json.city == "a" || $0.address.json.floor > 3 && $0.address.json.city != nil || $0.address.json.floor == nil \
        || $0.address.json.city.hasPrefix("b") || $0.address.json.floor * 2 > 5 || $0.address.json.city == $0.list.to.name \
        || $0.address.json.floor.isIn(1...5) || $0.address.json.floor < $0.number || $0.address.json.city.isIn(["a"])
        """,
        """
        $0.name.hasPrefix("a") || $0.name.hasSuffix("b", options: .caseInsensitive) || $0.name.matches("c.*") \
        || $0.name.like("d*") || $0.name.matchesTokens("e") || $0.matchesTokens("f") || $0.sizes.any > 3 || $0.sizes.all < 5 \
        || $0.sizes.none == 7 || $0.creationDate < Date.now
        """,
    ]

    /// Twenty terms, of links, enumerations, numbers and text.
    private static let longFilter = """
        $0.number == 1 && $0.kind == .food && $0.list == list.id && $0.subject == tag.id && $0.number > 3 && $0.kind != .drink \
        && $0.list != list.id && $0.subject != list.id && $0.name == "a" && $0.price < 3 && $0.number == 1 && $0.kind == nil \
        && $0.due != nil && $0.number <= 4 && $0.name != "b" && $0.price >= 5 && $0.number < $0.sizes.count \
        && $0.list.to.name == "c" && $0.tags.any == tag.id && $0.number * 2 > 7
        """

    /// A few times what the filters need.
    private static let scopeLimit = 1600

    @Test("The compiler tries few overloads for a filter with ten or twenty terms", arguments: filters + [longFilter])
    func cost(_ filter: String) throws {
        let outcome = try TypedPrograms.check(Self.statement(filter), scopes: Self.scopeLimit)
        #expect(outcome.succeeded, "\(outcome.messages)")
    }

    @Test("A filter for which it tries more is reported")
    func highCost() throws {
        let outcome = try TypedPrograms.check(Self.statement(Self.longFilter), scopes: Self.scopeLimit / 16)
        #expect(outcome.messages.contains("unable to type-check this expression in reasonable time"))
    }

    private static func statement(_ filter: String) -> String { "_ = try await items.count { \(filter) }" }
}
