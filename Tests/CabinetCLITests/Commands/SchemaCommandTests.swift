import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: schemas")
struct SchemaCommandTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    private static let schema = """
        DEFINE SCHEMA

            RECORD TYPE Coin (
                name  STRING,
                old   REFERENCE,
                price DOUBLE,
                tags  LIST<STRING>,
                year  INT64,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );

        """

    @Test("A field and a record type are renamed with their values, in production too")
    func rename() async throws {
        try await cabinet.saveCoins()
        for _ in 0..<2 {
            #expect(
                try await cabinet.output("schema", "rename", "Coin.year", "struck") == "Coin.year is now Coin.struck.\n"
            )
        }
        #expect(try await cabinet.output("count", "Coin", "struck > 1900") == "2\n")
        for command in ["count", "query"] {
            let refused = try await cabinet.failure(2, command, "Coin", "year > 1900")
            #expect(refused.contains("The field 'year' of Coin was renamed to 'struck'."), "\(refused)")
        }
        #expect(try await cabinet.failure(2, "query", "Coin", "--sort", "year").contains("renamed to 'struck'"))
        #expect(try await cabinet.failure(2, "save", "penny", "year=1968").contains("renamed to 'struck'"))
        let renamed = try await cabinet.output("schema", "rename", "Coin", "Token", "--environment", "production")
        #expect(renamed == "Coin is now Token.\n")
        let former = try await cabinet.failure(2, "query", "Coin")
        #expect(former.contains("The record type 'Coin' was renamed to 'Token'."), "\(former)")
        #expect(try await cabinet.output("types").contains("Token"))
        #expect(try await cabinet.failure(3, "schema", "rename", "Token.colour", "color").contains("which has name, "))
        #expect(try await cabinet.failure(3, "schema", "rename", "Medal", "Prize").contains("The database has Token."))
        #expect(try await cabinet.failure(2, "schema", "rename", "Token.name", "tags").contains("1 record has in"))
        #expect(try await cabinet.failure(2, "schema", "rename", "Token.a.b", "c").contains("neither a record type"))
        try await cabinet.output("verify")
    }

    @Test("A slip of the keyboard is dropped, in production only without values")
    func drop() async throws {
        try await cabinet.saveCoins()
        try await cabinet.output("save", "penny", "nmae=Penny")
        let refused = try await cabinet.failure(2, "schema", "drop", "Coin.nmae", "--environment", "production")
        #expect(refused.contains("would lose the values of 1 record"))
        let unasked = try await cabinet.failure(2, "schema", "drop", "Coin.nmae")
        #expect(unasked.contains("has 1 value. To drop it with them: --losing-at-most 1"), "\(unasked)")
        #expect(try await cabinet.output("get", "penny").contains("nmae"))
        let dropped = try await cabinet.output("schema", "drop", "Coin.nmae", "--losing-at-most", "1")
        #expect(dropped == "Coin.nmae is dropped, with 1 value.\n")
        #expect(try await cabinet.failure(3, "schema", "drop", "Coin.nmae").contains("which has name, "))
        #expect(try await !cabinet.output("get", "penny").contains("nmae"))
        #expect(try await cabinet.failure(2, "schema", "drop", "Coin", "--losing-at-most", "2").contains("3 records"))
        let records = try await cabinet.output("schema", "drop", "Coin", "--losing-at-most", "3")
        #expect(records == "Coin is dropped, with 3 records.\n")
        #expect(try await cabinet.failure(3, "schema", "drop", "Coin").contains("The database has none."))
        try await cabinet.output("save", "a", "--type", "Empty")
        try await cabinet.output("delete", "a")
        let empty = try await cabinet.output("schema", "drop", "Empty", "--environment", "production")
        #expect(empty == "Empty is dropped, with 0 records.\n")
        try await cabinet.output("verify")
    }

    @Test("An import of records names the command for a schema's file")
    func importedAsRecords() async throws {
        let text = "DEFINE SCHEMA RECORD TYPE A (x INT64);"
        let errors = try await cabinet.failure(2, "import", cabinet.folder.write(text, to: "a.ckdb"))
        #expect(errors.contains("cabinet schema import "), "\(errors)")
        let other = try await cabinet.failure(2, "import", cabinet.folder.write(text, to: "a.txt"))
        #expect(other.contains("(x INT64);'. The JSON text is not valid"), "\(other)")
    }

    @Test("A schema is exported, compared, and deployed to another store")
    func deploy() async throws {
        try await cabinet.saveCoins()
        #expect(try await cabinet.output("schema", "export", "--strict") == Self.schema)
        let file = try cabinet.folder.write(
            Self.schema.replacing("year  INT64", with: "year  INT64 QUERYABLE SORTABLE"), to: "new.ckdb")
        let difference = try await cabinet.run("schema", "diff", file)
        #expect(difference.status == 5)
        #expect(difference.output == "~ Coin.year without options → QUERYABLE SORTABLE\n")
        #expect(try await cabinet.output("schema", "deploy", "--dry-run", file) == difference.output)
        #expect(try await cabinet.output("schema", "deploy", file) == difference.output + "The schema is deployed.\n")
        #expect(try await cabinet.output("schema", "diff", file) == "The schemas are equal.\n")
        let production = cabinet.folder.path("production")
        let deployed = try await cabinet.program.run(
            ["schema", "deploy", "--from", cabinet.store, "--store", production], in: cabinet.folder)
        #expect(deployed.output.hasPrefix("+ RECORD TYPE Coin\n+ Coin.name STRING\n"))
        #expect(try await cabinet.output("schema", "diff", "--from", production) == "The schemas are equal.\n")
    }

    @Test("A deployment that would lose data is refused, and says what; an import keeps the rest")
    func losses() async throws {
        try await cabinet.saveCoins()
        let file = try cabinet.folder.write("DEFINE SCHEMA RECORD TYPE Coin (name STRING QUERYABLE);", to: "new.ckdb")
        let errors = try await cabinet.failure(2, "schema", "deploy", file)
        #expect(errors.hasPrefix("The deployment would lose data: - Coin.old REFERENCE; - Coin.price DOUBLE;"))
        #expect(try await cabinet.output("schema", "export") == Self.schema)
        #expect(try await cabinet.output("schema", "import", file) == "The schema is imported.\n")
        #expect(
            try await cabinet.output("schema", "export")
                == Self.schema.replacing("name  STRING", with: "name  STRING QUERYABLE"))
    }

    @Test("A mistake is reported with file, line and column")
    func mistakes() async throws {
        let file = try cabinet.folder.write("DEFINE SCHEMA\nRECORD TYPE Coin (name STRNG);\n", to: "a.ckdb")
        let errors = try await cabinet.failure(2, "schema", "validate", file)
        #expect(
            errors == "\(file):2:24: Expected a data type such as STRING, and this is 'STRNG'. Did you mean STRING?\n")
        #expect(
            try await cabinet.failure(3, "schema", "validate", "none.ckdb")
                == "The file none.ckdb cannot be read: No such file or directory.\n")
        for path in ["-", "/dev/stdin"] {
            #expect(
                try await cabinet.output("schema", "validate", path, input: Self.schema)
                    == "1 record type, 5 fields: valid.\n")
        }
        #expect(
            try await cabinet.failure(1, "schema", "validate", ".")
                == "The file . cannot be read: Is a directory.\n")
    }

    @Test("Parts that the store does not enforce are refused, unless they are ignored")
    func unenforced() async throws {
        let file = try cabinet.folder.write(
            "DEFINE SCHEMA RECORD TYPE Coin (mint REFERENCE ON DELETE DENY, name ENCRYPTED STRING);", to: "a.ckdb")
        #expect(try await cabinet.failure(2, "schema", "deploy", file).contains("  ON DELETE DENY of Coin.mint\n"))
        let addition = try cabinet.folder.write(
            "DEFINE SCHEMA RECORD TYPE Coin (name STRING UNIQUE);", to: "b.ckdb")
        #expect(
            try await cabinet.failure(2, "schema", "validate", "--strict", addition).contains(
                "UNIQUE is Cabinet's addition"))
        let output = try await cabinet.output("schema", "deploy", "--ignore-unenforced", file)
        #expect(
            output
                == "+ RECORD TYPE Coin\n+ Coin.mint REFERENCE ON DELETE DENY\n+ Coin.name ENCRYPTED STRING\n"
                + "The schema is deployed.\n")
    }

    @Test("In production, a save of an unknown field is refused with the command that adds it")
    func production() async throws {
        try await cabinet.saveCoins()
        let errors = try await cabinet.failure(2, "save", "penny", "--environment", "production", "yaer=1")
        #expect(errors.hasPrefix("There is no field 'yaer' in Coin. Did you mean 'year'?"))
        #expect(errors.contains("To add it to production: cabinet schema deploy FILE --database private"))
        let type = try await cabinet.failure(2, "save", "a", "--type", "Stamp", "--environment", "production")
        #expect(type.hasPrefix("There is no record type 'Stamp'."))
        let missing = try await cabinet.failure(3, "get", "missing", "--environment", "production")
        #expect(!missing.contains("schema deploy"), "\(missing)")
        try await cabinet.output("save", "penny", "--environment", "production", "year=1")
        #expect(try await cabinet.output("schema", "export") == Self.schema)
    }

    @Test("A reset leaves the new schema without records, and keeps the old store")
    func reset() async throws {
        try await cabinet.saveCoins()
        let file = try cabinet.folder.write("DEFINE SCHEMA RECORD TYPE Stamp (name STRING QUERYABLE);", to: "new.ckdb")
        #expect(try await cabinet.failure(6, "schema", "reset", file).contains("To replace it: --replace"))
        #expect(try await cabinet.output("count", "Coin") == "3\n")
        let output = try await cabinet.output("schema", "reset", file, "--replace")
        #expect(output.hasSuffix(" has the new schema, and no records.\n"))
        #expect(try await cabinet.output("types", "--format", "csv") == "type,records,fields\nStamp,0,1\n")
        #expect(try await cabinet.output("types", "--database", "public", "--format", "csv").contains("Stamp,0,1\n"))
        let old = try #require(output.firstMatch(of: /The old store is in (.+)\./)).output.1
        #expect(
            try await cabinet.program.run(["count", "Coin", "--store", "\(old)"], in: cabinet.folder).output == "3\n")
        // A failure leaves the store.
        #expect(try await cabinet.failure(3, "schema", "reset", "--from", "/nowhere", "--replace").contains("no store"))
        #expect(try await cabinet.output("count", "Stamp") == "0\n")
    }

    @Test("The schema of another store is taken for each database")
    func databases() async throws {
        try await cabinet.saveCoins()
        try await cabinet.output("save", "a", "--type", "Stamp", "name=A", "--database", "public")
        let other = cabinet.folder.path("other")
        func run(_ arguments: String...) async throws -> String {
            try await cabinet.program.run(arguments + ["--store", other], in: cabinet.folder).output
        }
        let difference = try await run(
            "schema", "deploy", "--dry-run", "--from", cabinet.store, "--database", "public")
        #expect(difference.contains("+ RECORD TYPE Stamp") && !difference.contains("Coin"), "\(difference)")
        #expect(try await run("schema", "reset", "--from", cabinet.store).contains("has the new schema"))
        #expect(try await run("types", "--format", "csv") == "type,records,fields\nCoin,0,5\n")
        #expect(try await run("types", "--database", "public", "--format", "csv").contains("Stamp,0,1\n"))
    }
}
