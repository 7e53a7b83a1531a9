import Cabinet
import Testing

@Suite("Comparing and deploying schemas")
struct SchemaDifferenceTests {
    private static let old = Schema(recordTypes: [
        "Coin": .init(
            fields: [
                "name": .init(.string, [.queryable, .searchable]), "country": .init(.string, .sortable),
                "year": .init(.int64), "old": .init(.bytes), "modificationDate": .init(.timestamp, .queryable),
            ], indexes: [["country", "year"]]),
        "Gone": .init(fields: ["x": .init(.string)]), "Same": .init(fields: ["x": .init(.string, .queryable)]),
        "Users": .init(),
    ])

    private static let new = Schema(recordTypes: [
        "Coin": .init(
            fields: [
                "name": .init(.string, .queryable), "country": .init(.string), "year": .init(.double, .queryable),
                "picture": .init(.asset), "creationDate": .init(.timestamp, .sortable),
            ], indexes: [["year", "name"]]),
        "Same": .init(fields: ["x": .init(.string, .queryable)]),
        "Series": .init(fields: ["title": .init(.string, .queryable)], indexes: [["title", "recordID"]]),
    ])

    @Test("Every kind of change is listed, in a stable order")
    func changes() {
        let difference = Self.old.difference(to: Self.new)
        #expect(
            difference.description == """
                ~ Coin.country SORTABLE → without options
                ~ Coin.creationDate without options → SORTABLE
                ~ Coin.modificationDate QUERYABLE → without options
                ~ Coin.name QUERYABLE SEARCHABLE → QUERYABLE
                - Coin.old BYTES
                + Coin.picture ASSET
                ~ Coin.year INT64 → DOUBLE
                ~ Coin.year without options → QUERYABLE
                - INDEX (country, year) of Coin
                + INDEX (year, name) of Coin
                - RECORD TYPE Gone
                + RECORD TYPE Series
                + Series.title STRING QUERYABLE
                + INDEX (title, recordID) of Series
                """)
        #expect(
            difference.losses.map(\.description) == [
                "- Coin.old BYTES", "~ Coin.year INT64 → DOUBLE", "- RECORD TYPE Gone",
            ])
    }

    @Test("A delete rule is compared if both schemas state one")
    func deleteRules() {
        func schema(_ rule: Reference.Action?) -> Schema {
            Schema(recordTypes: ["Coin": .init(fields: ["series": .init(.reference, onDelete: rule)])])
        }
        let difference = schema(.deny).difference(to: schema(.deleteSelf))
        #expect(difference.description == "~ Coin.series ON DELETE DENY → ON DELETE DELETE_SELF")
        #expect(difference.losses.isEmpty)
        #expect(schema(.deny).difference(to: schema(nil)).isEmpty && schema(nil).difference(to: schema(.deny)).isEmpty)
        #expect(Schema().difference(to: schema(.nullify)).description.contains("REFERENCE ON DELETE NULLIFY"))
    }

    @Test("Equal schemas have no difference")
    func equal() {
        #expect(Self.old.difference(to: Self.old).isEmpty)
        #expect(Schema().difference(to: Schema(recordTypes: ["Users": .init()])).isEmpty)
        #expect(Schema().difference(to: Self.new).losses.isEmpty)
    }

    @Test("The code of the article: compare, and deploy unless data would be lost")
    func deploy() async throws {
        let container = try Container(identifier: "com.example.shopping", backend: MemoryBackend())
        let database = container.privateDatabase
        var item = Record(recordType: "Items")
        item["name"] = "Milk"
        try await database.save(item)
        var schema = try await database.schema()
        schema["Items"]["price"] = Schema.Field(.double)
        // snippet: deploy
        let difference = try await database.schema().difference(to: schema)
        print(difference)  // + Items.price DOUBLE
        if difference.losses.isEmpty { try await container.deploy(schema) }
        // end
        #expect(difference.description == "+ Items.price DOUBLE")
        #expect(try await database.schema() == schema)
        #expect(try await container.publicDatabase.schema() == schema)
    }

    @Test("A refused deployment lists ten losses, and counts the others")
    func manyLosses() async throws {
        let database = try Container(identifier: "com.example.shopping", backend: MemoryBackend()).privateDatabase
        var item = Record(recordType: "Items")
        for number in 10..<25 { item["field\(number)"] = number }
        try await database.save(item)
        let error = await #expect(throws: CabinetError.self) {
            try await database.deploy(Schema(recordTypes: ["Items": .init()]))
        }
        #expect(error?.message.contains("- Items.field19 INT64; and 5 more.") == true)
        #expect(error?.fieldKey == nil)
    }
}
