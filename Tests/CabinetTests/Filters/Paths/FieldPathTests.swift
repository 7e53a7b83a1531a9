import Testing

@testable import Cabinet

@Suite("Paths: their steps and their types")
struct FieldPathTests {
    private static let fields = FieldTypes(
        of: "Items",
        in: StoredSchema(recordTypes: [
            "Items": ["name": .string, "list": .reference, "friends": .list(of: .reference), "n": .int64],
            "Lists": ["name": .string, "owner": .reference, "code": .int64, "mixed": .reference],
            "Owners": [
                "city": .string, "tags": .list(of: .string), "code": .string, "age": .int64, "weight": .double,
                "mixed": .int64, "several": .list(of: .reference),
            ],
            "Others": ["several": .reference],
        ]))

    @Test("Steps are names and operators over lists")
    func steps() throws {
        #expect(try FieldPath("name").steps == [.name("name")])
        #expect(try !FieldPath("name").isLong)
        #expect(try FieldPath("list.owner.city").steps == [.name("list"), .name("owner"), .name("city")])
        #expect(try FieldPath("list.owner.city").first == "list")
        #expect(try FieldPath("tags.@count").steps == [.name("tags"), .collection(.count)])
        #expect(
            try FieldPath("a.@sum.b.c").steps == [.name("a"), .collection(.sum), .name("b"), .name("c")])
        #expect(try FieldPath("a.@max.SELF").steps == [.name("a"), .collection(.maximum)])
        #expect(try FieldPath("a.@max.b.@min").steps.count == 4)
        // All names after the operator are members.
        let path = try FieldPath("a.b.@double.lines.0.recordID.SELF.x~1y~0~2.~2z.u@v.@string")
        #expect(path.steps.count == 4)
        guard case .json(let json) = path.steps[2] else { return #expect(Bool(false)) }
        #expect(json.type == .double && json.members == ["lines", "0", "recordID", "SELF", "x.y~@", "@z", "u@v"])
        #expect(json.description == "@double.lines.0.recordID.SELF.x~1y~0@.~2z.u@v")
        #expect(FieldPath.JSON(json.description) == json && FieldPath.JSON("a.@string") == nil)
        // A record's own ID leads back to it.
        #expect(try FieldPath("recordID.name").steps == [.name("name")])
        #expect(try FieldPath("list.recordID.recordID.name").steps == [.name("list"), .name("name")])
        #expect(try FieldPath("list.recordID").steps == [.name("list"), .name("recordID")])
        #expect(try FieldPath([String](repeating: "a", count: 100).joined(separator: ".")).steps.count == 100)
    }

    @Test(
        "Invalid paths",
        arguments: [
            ".", "a.", ".a", "a..b", "@count", "@sum.a", "a.@", "a.@median", "a.@COUNT", "a.@count.b", "a.b@c", "a@b",
            "a.@string..b", "a.@string.b~", "a.@string.b~3", "a.@bytes.b", "@string.a",
            [String](repeating: "a", count: 101).joined(separator: "."), String(repeating: ".", count: 1_000_000),
        ])
    func malformed(text: String) {
        let error = expectInvalidArguments { try FieldPath(text) }
        #expect(error?.message.contains("is not a key path") == true)
        #expect((error?.message.count ?? .max) < 400)
    }

    @Test(
        "Types that are known",
        arguments: [
            ("name", .string), ("list", .reference), ("creationDate", .timestamp), ("list.name", .string),
            ("list.owner.city", .string), ("list.owner.tags", .list(of: .string)), ("list.creationDate", .timestamp),
            ("list.recordID", .reference), ("parent.list.owner.age", .int64), ("friends.@count", .int64),
            ("friends.@sum.age", .int64), ("friends.@sum.weight", .double), ("friends.@avg.age", .double),
            ("friends.@max.city", .string), ("list.owner.tags.@max", .string), ("friends.name.@count", .int64),
            ("name.@int64.n", .int64), ("list.owner.city.@timestamp", .timestamp),
            ("name.@string.a.@double.b", .double),
            ("friends", .list(of: .reference)), ("recordID.n", .int64), ("friends.@max.owner.city", .string),
        ] as [(String, FieldType)])
    func known(path: String, type: FieldType) {
        #expect(Self.fields.type(ofPath: path) == type)
    }

    @Test("Fields with no type, with several types, and lists that steps produce")
    func others() throws {
        func type(_ path: String) throws -> PathType { try Self.fields.type(of: FieldPath(path)) }
        for path in ["missing", "missing.name", "list.missing", "list.missing.name", "missing.@sum", "n2.@sum.x"] {
            #expect(try type(path) == .nothing)
            #expect(Self.fields.type(ofPath: path) == nil)
        }
        #expect(try type("list.code").shapes == [.value(.int64), .value(.string)])
        // The step that is not a reference is ruled out by the next one.
        #expect(try type("list.mixed.name") == .value(.string))
        #expect(try type("friends.city").shapes == [.elements(.string)])
        #expect(try type("list.several.city").shapes == [.elements(.string), .value(.string)])
        #expect(try type("friends.tags").shapes == [.elements(.list(of: .string))])
        #expect(try FieldTypes(["list": .reference]).type(of: FieldPath("list.name")) == .unknown)
        #expect(try FieldTypes(["n": .int64]).type(of: FieldPath("x.name")) == .nothing)
    }

    @Test(
        "Steps that cannot be made",
        arguments: [
            ("name.x", "'x' is read from a value of type STRING, which is not a REFERENCE"),
            ("list.owner.age.x", "INT64"), ("list.code.x", "which is not a REFERENCE"),
            ("n.@count", "@count takes a list, and finds a value of type INT64"),
            ("friends.@sum.city", "A sum takes"),
            ("list.owner.tags.@avg", "An average takes"), ("friends.@max.list", "A maximum is found among"),
            ("friends.@sum.tags", "LIST<STRING>"), ("friends.city.x", "STRING"), ("friends.@max.name.x", "STRING"),
        ])
    func impossible(path: String, expectedMessage: String) throws {
        let path = try FieldPath(path)
        do {
            _ = try Self.fields.type(of: path)
            Issue.record("It has a type.")
        } catch {
            #expect(error.message.contains(expectedMessage))
        }
    }

    @Test("A record is fetched with the first steps, and with the fields that a search reads")
    func keysToFetch() throws {
        let filter = try Filter(
            "list.name == 'a' AND n + friends[list.n].age > creationDate.x AND ANY parent.x == {$y, m}")
        #expect(filter.keysToFetch(in: Self.fields) == ["list", "n", "friends", "creationDate", "parent", "m"])
        #expect(filter.fieldKeys.contains("list.name"))
        let search = try Filter("SELF CONTAINS 'a'")
        #expect(search.keysToFetch(in: Self.fields) == ["name"])
        #expect(search.fieldKeys == [])
    }
}
