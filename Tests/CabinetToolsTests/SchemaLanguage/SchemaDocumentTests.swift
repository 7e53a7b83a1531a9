import Cabinet
import CabinetTools
import Testing

@Suite("The schema language")
struct SchemaDocumentTests {
    @Test(
        "A printed text parses, and prints as the same text",
        arguments: [
            SchemaSamples.empty, SchemaSamples.coins, SchemaSamples.moreCoins, SchemaSamples.everything,
            SchemaSamples.additions,
        ])
    func roundTrip(_ text: String) throws {
        let document = try SchemaDocument(parsing: text)
        #expect(document.description == text)
        #expect(try SchemaDocument(parsing: document.description) == document)
    }

    @Test("A document becomes a schema with filters' names for system fields")
    func schema() throws {
        let schema = try SchemaDocument(parsing: SchemaSamples.everything).schema
        let type = schema["Queryable"]
        #expect(schema.recordTypes.keys.sorted() == ["Nothing", "Queryable"])
        #expect(type["creationDate"] == .init(.timestamp, [.queryable, .sortable]))
        #expect(type["recordID"] == .init(.reference, .queryable))
        #expect(type["lastModifiedUserRecordID"] == nil)
        #expect(!type.fields.keys.contains { $0.hasPrefix("_") })
        #expect(type["title"] == .init(.string, [.queryable, .sortable, .searchable]))
        #expect(type["secret"] == .init(.encryptedString))
        #expect(type["number"] == .init(.double, .queryable))
        #expect(type["whole"] == .init(.int64))
        #expect(type["numbers"] == .init(.list(of: .int64)))
        #expect(type["preferred"] == .init(.string))
        let additions = try SchemaDocument(parsing: SchemaSamples.additions).schema["Items"]
        #expect(additions.indexes == [["list", "name", "modificationDate"]])
        #expect(additions["parent"] == .init(.reference, .queryable))
        #expect(additions["list"] == .init(.reference, .queryable, onDelete: .deleteSelf))
        #expect(additions["others"] == .init(.list(of: .reference), onDelete: .deny))
    }

    @Test("A schema becomes a document, and the same schema again")
    func fromSchema() throws {
        var schema = try SchemaDocument(parsing: SchemaSamples.everything).schema
        schema["Queryable"].indexes = [["due", "modificationDate"]]
        for (number, action) in Reference.Action.allCases.enumerated() {
            schema["Queryable"]["link\(number)"] = .init(.list(of: .reference), .queryable, onDelete: action)
        }
        let document = SchemaDocument(schema)
        #expect(document.schema == schema && document.additions.count == 5)
        #expect(try SchemaDocument(parsing: document.description).schema == schema)
        #expect(document.recordTypes[1].fields.first?.name == "___createTime")
        let coins = try SchemaDocument(parsing: SchemaSamples.coins).schema
        #expect(SchemaDocument(coins).recordTypes[0].grants.count == 3)
        // CloudKit accepts what is exported without additions.
        #expect(
            try SchemaDocument(parsing: SchemaDocument(coins).text(in: .cloudKit), dialect: .cloudKit).schema == coins)
    }

    @Test("Layout, comments and the case of keywords have no meaning")
    func layout() throws {
        let text = """
            \u{FEFF}-- A comment
            define schema create role Editor; // until the end of the line
            Record Type Items(/* several
            lines; "quoted */name string queryable,\tgrant read,write to Editor,\r
            GRANT CREATE TO "_icloud","note"ENCRYPTED STRING, list List < reference >);
            """
        let document = try SchemaDocument(parsing: text, dialect: .cloudKit)
        let items = SchemaDocument.RecordType(
            name: "Items",
            fields: [
                .init(name: "name", type: .init(.string), options: .queryable),
                .init(name: "note", type: .init(.encryptedString)),
                .init(name: "list", type: .init(.list(of: .reference))),
            ],
            grants: [.init([.read, .write], to: "Editor"), .init([.create], to: "_icloud")])
        #expect(document == SchemaDocument(roles: ["Editor"], recordTypes: [items]))
    }

    @Test("CloudKit's dialect refuses each addition, when it is parsed and when it is printed")
    func strict() throws {
        let additions = [
            "name STRING UNIQUE", "UNIQUE (name)", "INDEX (a, b)", "r REFERENCE ON DELETE DENY",
            "\"___parent\" REFERENCE",
        ]
        for addition in additions {
            let text = "DEFINE SCHEMA RECORD TYPE Items (a STRING, b STRING, name INT64, \(addition));"
                .replacing("name INT64, name", with: "name")
            let document = try SchemaDocument(parsing: text)
            #expect(document.additions.count == 1)
            #expect(throws: CabinetError.self) { try document.text(in: .cloudKit) }
            let error = #expect(throws: CabinetError.self) { try SchemaDocument(parsing: text, dialect: .cloudKit) }
            #expect(error?.message.contains("is Cabinet's addition") == true, "\(addition)")
        }
        #expect(try SchemaDocument(parsing: SchemaSamples.everything).text(in: .cloudKit) == SchemaSamples.everything)
    }

    @Test("An index names a path into JSON in double quotes")
    func paths() throws {
        let text = """
            // INDEX, UNIQUE, ON DELETE and ___parent are Cabinet's additions, which CloudKit refuses.
            DEFINE SCHEMA

                RECORD TYPE Contacts (
                    address STRING,
                    name    STRING QUERYABLE,
                    INDEX ("address.@string.city"),
                    INDEX (name, "address.@double.geo.lat"),
                    GRANT WRITE TO "_creator",
                    GRANT CREATE TO "_icloud",
                    GRANT READ TO "_world"
                );

            """
        let document = try SchemaDocument(parsing: text)
        #expect(
            document.schema["Contacts"].indexes == [["address.@string.city"], ["name", "address.@double.geo.lat"]])
        #expect(document.description == text)
        #expect(SchemaDocument(document.schema) == document)
        for (addition, word) in [
            ("INDEX (\"name.x\")", "name.x"), ("INDEX (\"none.@string.x\")", "'none'"),
            ("\"address.@string.x\" STRING", "cannot be the name"), ("UNIQUE (\"address.@string.x\")", "UNIQUE"),
            ("INDEX (address.@string.x)", "'.'"),
        ] {
            let wrong = text.replacing("INDEX (\"address.@string.city\")", with: addition)
            let error = #expect(throws: CabinetError(.invalidArguments)) { try SchemaDocument(parsing: wrong) }
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        }
    }

    @Test("The parts that no store enforces are listed")
    func unenforced() throws {
        #expect(try SchemaDocument(parsing: SchemaSamples.moreCoins).unenforcedParts == [])
        #expect(
            try SchemaDocument(parsing: SchemaSamples.additions).unenforcedParts == [
                "ON DELETE DELETE_SELF of Items.list", "ON DELETE DENY of Items.others",
            ])
        let text = """
            DEFINE SCHEMA CREATE ROLE Editor;
            RECORD TYPE T (note ENCRYPTED STRING, "___etag" STRING QUERYABLE, GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud", GRANT READ, WRITE TO Editor);
            """
        #expect(
            try SchemaDocument(parsing: text).unenforcedParts == ["QUERYABLE of T.___etag"])
    }

    @Test("Roles, grants and unique values of a text are those of its schema")
    func rules() throws {
        let text = """
            DEFINE SCHEMA RECORD TYPE T (
                name STRING UNIQUE, "___createdBy" REFERENCE, UNIQUE (name, "___createdBy"),
                GRANT WRITE TO "_creator", GRANT READ TO Editor, GRANT WRITE TO Editor
            );
            CREATE ROLE Editor;
            """
        let schema = try SchemaDocument(parsing: text).schema
        #expect(schema.roles == ["Editor"])
        #expect(schema["T"].uniqueKeys == [["name"], ["name", "creatorUserRecordID"]])
        #expect(schema["T"].grants == ["_creator": [.write], "Editor": [.read, .write]])
        let printed = SchemaDocument(schema).description
        #expect(printed.contains("CREATE ROLE Editor;"))
        #expect(printed.contains("GRANT READ, WRITE TO Editor"))
        #expect(try SchemaDocument(parsing: printed).schema == schema)
        let error = #expect(throws: CabinetError.self) {
            try SchemaDocument(parsing: "DEFINE SCHEMA RECORD TYPE T (name LIST<STRING> UNIQUE);")
        }
        #expect(error?.message.contains("UNIQUE (name)") == true)
    }

    @Test("A collection's second version deploys over the first, with data")
    func deployment() async throws {
        let container = try Container(identifier: "com.example.coins", backend: MemoryBackend())
        let database = container.privateDatabase
        let (coins, more) = (
            try SchemaDocument(parsing: SchemaSamples.coins).schema,
            try SchemaDocument(parsing: SchemaSamples.moreCoins).schema
        )
        #expect(try SchemaDocument(parsing: SchemaSamples.empty).schema.difference(to: coins).losses == [])
        try await container.deploy(coins)
        var coin = Record(recordType: "Coin")
        coin["year"] = 1967
        coin = try await database.save(coin)
        #expect(
            coins.difference(to: more).description == """
                ~ Coin.country QUERYABLE SORTABLE → QUERYABLE
                + Coin.picture ASSET
                + Coin.series REFERENCE QUERYABLE
                ~ Coin.year QUERYABLE → QUERYABLE SORTABLE
                + RECORD TYPE Series
                ~ Series.recordID without options → QUERYABLE
                + Series.title STRING QUERYABLE SORTABLE SEARCHABLE
                """)
        try await container.deploy(more)
        #expect(try await database.schema() == more)
        #expect(try await database.record(for: coin.recordID)["year"] == 1967)
        await #expect(throws: CabinetError.self) { try await container.deploy(coins) }
    }
}
