import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: import of tables and of plain JSON")
struct RowImportTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    @Test("The output of query as CSV or JSON is imported as the same records")
    func roundTrip() async throws {
        try await cabinet.saveCoins()
        let expected = try await cabinet.output("query", "Coin", "--sort", "name", "--format", "csv")
        let formats = [("csv", "a.csv"), ("json", "a.jsonl")]
        for (number, (format, name)) in formats.enumerated() {
            let file = try cabinet.folder.write(
                try await cabinet.output("query", "Coin", "--format", format), to: name)
            let store = cabinet.folder.path("store \(number)")
            try await cabinet.output("copy", store)
            let fresh = cabinet.folder.path("fresh \(number)")
            for target in [store, fresh] {
                let outcome = try await cabinet.program.run(
                    ["import", file, "Coin", "--store", target], in: cabinet.folder)
                #expect(outcome.status == 0 && outcome.output.contains(": 3 records in "), "\(outcome.errors)")
            }
            let found = try await cabinet.program.run(
                ["query", "Coin", "--sort", "name", "--format", "csv", "--store", store], in: cabinet.folder)
            #expect(found.output == expected)
        }
    }

    @Test("Values are read by the types of their fields, new fields by all of their values, and other fields stay")
    func types() async throws {
        try await cabinet.output(
            "save", "penny", "--type", "Coin", "year=1", "due={\"timestamp\":\"2026-01-01T00:00:00Z\"}", "price=0.5",
            "tags=[\"a\"]", "note=kept", "old={\"reference\":\"x\"}")
        let table = """
            \u{FEFF}___recordName,year,due,price,tags,old,zip,size,seen,first\r
            penny,1967,2026-11-25T18:00:00Z,3,"gb, old",crown,00420,1,true,2026-01-01T00:00:00Z\r
            crown,,,,,,"7 ""x"", y\r
            z""\u{301}",2.5,false,2026-01-02T00:00:00Z\r

            """
        let file = try cabinet.folder.write(table, to: "coins.csv")
        let outcome = try await cabinet.run("import", file, "Coin")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.errors == """
                The field 'first' is new, and its values are read as TIMESTAMP.
                The field 'seen' is new, and its values are read as INT64.
                The field 'size' is new, and its values are read as DOUBLE.
                The field 'zip' is new, and its values are read as STRING.

                """)
        let penny = try await cabinet.output("get", "penny")
        #expect(
            penny.contains("\"year\":1967") && penny.contains("\"price\":3.0") && penny.contains("\"zip\":\"00420\""))
        #expect(penny.contains("\"tags\":[\"gb\",\"old\"]") && penny.contains("\"note\":\"kept\""))
        #expect(penny.contains("\"old\":{\"reference\":\"crown\"") && penny.contains("\"size\":1.0"))
        #expect(penny.contains("\"due\":{\"timestamp\":\"2026-11-25T18:00:00.000Z\""))
        let crown = try await cabinet.output("get", "crown")
        #expect(crown.contains("\"zip\":\"7 \\\"x\\\", y\\r\\nz\\\"\u{301}\"") && !crown.contains("year"), "\(crown)")
        let line = try await cabinet.output(
            "query", "Coin", "old == NIL", "--fields", "zip", "--format", "csv")
        #expect(Data(line.utf8).range(of: Data("z\"\"\u{301}\"".utf8)) != nil, "\(line)")
        // An empty value removes the one of a stored record.
        _ = try cabinet.folder.write("recordName,year\npenny,\n", to: "coins.csv")
        try await cabinet.output("import", file, "Coin")
        let changed = try await cabinet.output("get", "penny")
        #expect(!changed.contains("year") && changed.contains("\"note\":\"kept\""))
    }

    @Test("Plain JSON is imported as an array or as objects, and rows without a name are the same records each time")
    func json() async throws {
        let array = """
            [
              {"name": "Penny", "year": 1967, "tags": ["a"], "old": null},
              {"name": "Crown", "year": 1890.5, "tags": []}
            ]
            """
        let file = try cabinet.folder.write(array, to: "coins.json")
        for _ in 0..<2 {
            try await cabinet.output("import", file, "Coin")
            #expect(try await cabinet.output("count", "Coin") == "2\n")
        }
        #expect(try await cabinet.output("count", "Coin", "year > 1890.4 AND year < 1968") == "2\n")
        let lines = "{\"name\":\"a\"}\n{\"name\":\"b\",\"recordName\":\"b\"} {\"name\":\n\"c\"}"
        try await cabinet.output("import", cabinet.folder.write(lines, to: "more.json"), "Coin")
        #expect(try await cabinet.output("count", "Coin") == "5\n")
        #expect(try await cabinet.output("get", "b").contains("\"name\":\"b\""))
    }

    @Test(
        "A mistake is refused with its line, and nothing is saved",
        arguments: [
            ("a.csv", "name,year\na,1\nb,x\n", "a.csv:3:3: 'x' does not fit the field 'year'"),
            ("a.csv", "name,year\n\"a\nb\",1,2\n", "a.csv:2: The row has 3 values; expected 2"),
            ("a.csv", "name,year\na\"b,1\n", "a.csv:2:2: A quotation mark within a value must be doubled"),
            ("a.csv", "name,year\n\"a\"b,1\n", "a.csv:2:4: Expected a comma"),
            ("a.csv", "name,year\n\"a,1\n", "a.csv:2: The file ends within quotes."),
            ("a.csv", "name,name\n", "a.csv:1:6: The column 'name' appears twice."),
            ("a.csv", "name,\n", "a.csv:1:6: A column has no name."),
            ("a.csv", "", "a.csv:1: Expected a line with the names of the columns."),
            ("a.csv", "name,first name\na,b\n", "a.csv:1:6: The field name \"first name\" has U+0020 at position 6"),
            ("a.csv", "name,share\na,b\n", "a.csv:2: 'share' is a property of every record"),
            ("a.csv", "recordName,year\na,1\n_b,2\n", "a.csv:3: The record name \"_b\" begins with '_'"),
            ("a.csv", "recordType,year\nStamp,1\n", "a.csv:2:1: The row is of the type \"Stamp\", not Coin."),
            ("a.json", "[{\"year\":1}\n{\"year\":2}]", "a.json:2: Expected a comma or ]."),
            ("a.json", "[{\"year\":1},]", "a.json:1: Expected an object."),
            ("a.json", "[{\"year\":1}", "a.json:1: The file ends within an array."),
            ("a.json", "{\"year\":1}\n{\"year\":", "a.json:2: The file ends within an object."),
            ("a.json", "3", "a.json:1: Expected an object, or an array of objects."),
            ("a.json", "{\"year\":1,\"year\":2}", "the key 'year' is repeated"),
            ("a.json", "{\"year\":1,\"fields\":{\"year\":2}}", "a.json:1: The value of 'year' appears twice"),
            ("a.json", "{\"year\":1}\n{\"a b\":2}", "a.json:2: The field name \"a b\""),
            ("a.json", "{\"x\":1}\n{\"x\":\"a\"}", "a.json:2: The value of 'x' is of another type"),
            ("a.json", "{\"x\":{\"y\":1}}", "a.json:1: The value of 'x' is {\"y\":1}; expected"),
            ("a.json", "{\"year\":1}\n{\"year\":\"x\"}", "a.json:2: 'x' does not fit the field 'year'"),
            (
                "a.json", "{\"year\":2.0}\n{\"year\":1.5}",
                "a.json:2: The field 'year' of Coin holds INT64 values; the value 1.5 is of type DOUBLE, and"
            ),
            (
                "a.json", "{\"year\":{\"reference\":\"x\"}}",
                "a.json:1: The field 'year' of Coin holds INT64 values; the value {\"reference\":\"x\"} is of type REFERENCE."
            ),
            (
                "a.json", "{\"year\":[1]}",
                "a.json:1: The field 'year' of Coin holds INT64 values; the value [1] is of type"
            ),
            ("a.csv", "name,year\na,\"[1,2]\"\n", "a.csv:2:3: The field 'year' of Coin holds INT64 values"),
        ])
    func mistakes(name: String, text: String, message: String) async throws {
        try await cabinet.output("save", "penny", "--type", "Coin", "year=1")
        let errors = try await cabinet.failure(2, "import", cabinet.folder.write(text, to: name), "Coin")
        #expect(errors.contains(message), "\(errors)")
        #expect(try await cabinet.output("count", "Coin") == "1\n")
    }

    @Test("A table without a type is refused with the command, and many rows are imported in batches")
    func many() async throws {
        let rows = (0..<1200).map { "n\($0),\($0),n\(($0 + 1) % 1200)\n" }
        let file = try cabinet.folder.write("recordName,x,next\n" + rows.joined(), to: "t.csv")
        #expect(try await cabinet.failure(2, "import", file).contains("cabinet import"))
        try await cabinet.output(
            "save", "first", "--type", "T", "next={\"reference\":\"first\",\"action\":\"deleteSelf\"}")
        #expect(try await cabinet.output("import", file, "T").contains(": 1200 records in "))
        #expect(try await cabinet.output("count", "T", "next.x >= 0") == "1200\n")
    }

    @Test("An interrupted import of a table continues with the rows that it has not saved")
    func resumption() async throws {
        // The fields are new at first, and have types when the import continues.
        let rows = (0..<1200).map { number in
            let name = number == 1100 ? "taken" : ""
            return "\(name),\(number),\(number).5,2026-01-02T03:04:05Z,\"a, \(number)\",true\n"
        }
        let file = try cabinet.folder.write("recordName,n,d,t,s,b\n" + rows.joined(), to: "t.csv")
        try await cabinet.output("save", "taken", "--type", "Other", "kept=1")
        // The record is not replaced by one of another type.
        #expect(try await cabinet.failure(2, "import", file, "T").contains("taken"))
        #expect(try await cabinet.output("get", "taken").contains("\"kept\":1"))
        #expect(try await cabinet.output("count", "T") == "1000\n")
        try await cabinet.output("delete", "taken")
        let outcome = try await cabinet.run("import", file, "T")
        #expect(outcome.output.contains("t.csv: 200 records in "), "\(outcome.output)")
        // The lines are those of the table.
        #expect(outcome.errors == "Continuing after line 1001.\n")
        #expect(try await cabinet.output("count", "T", "d = n + 0.5 AND s BEGINSWITH 'a, ' AND b = 1") == "1200\n")
    }

    @Test("Equal rows of two types are two records, also if the last line of one file has no end")
    func twoTypes() async throws {
        let file = try cabinet.folder.write("name\na\nb", to: "t.csv")
        try await cabinet.output("import", file, "Coin")
        try await cabinet.output("import", file, "Stamp")
        _ = try cabinet.folder.write("name\na\nb\nc\n", to: "t.csv")
        try await cabinet.output("import", file, "Coin")
        #expect(try await cabinet.output("count", "Coin") == "3\n")
        #expect(try await cabinet.output("count", "Stamp") == "2\n")
    }

    @Test("A field of the schema may have the name of an exported value, which is passed over and named otherwise")
    func fieldsLikeSystemValues() async throws {
        let file = try cabinet.folder.write("recordName,zone,created,name\na,Arctic,long ago,x\n", to: "t.csv")
        let outcome = try await cabinet.run("import", file, "Coin")
        #expect(outcome.errors.contains("The store assigns other values than the file's: created, zone."))
        try await cabinet.output("save", "b", "--type", "Coin", "zone=Tropic", "created=today", "name=y")
        try await cabinet.output("import", file, "Coin")
        #expect(try await cabinet.output("count", "Coin", "zone = 'Arctic' AND created = 'long ago'") == "1\n")
        let printed = try await cabinet.output("query", "Coin", "--format", "json")
        let fresh = cabinet.folder.path("fresh")
        let objects = try cabinet.folder.write(printed, to: "t.jsonl")
        let imported = try await cabinet.program.run(["import", objects, "Coin", "--store", fresh], in: cabinet.folder)
        #expect(imported.status == 0, "\(imported.errors)")
        let found = try await cabinet.program.run(
            ["query", "Coin", "--fields", "zone,created", "--format", "csv", "--store", fresh], in: cabinet.folder)
        #expect(found.output == "recordName,zone,created\na,Arctic,long ago\nb,Tropic,today\n")
    }

    @Test("Rows create the zone that they are imported into, and a command adds one for other records")
    func zones() async throws {
        let file = try cabinet.folder.write(#"[{"recordName":"a","name":"x"}]"#, to: "coins.json")
        for _ in 0..<2 { try await cabinet.output("import", file, "Coin", "--zone", "Travel") }
        #expect(try await cabinet.output("count", "Coin", "--zone", "Travel") == "1\n")
        let errors = try await cabinet.failure(3, "save", "b", "--type", "Coin", "name=y", "--zone", "Home")
        #expect(errors.contains("cabinet zones add NAME"), "\(errors)")
        for _ in 0..<2 { try await cabinet.output("zones", "add", "Home") }
        try await cabinet.output("save", "b", "--type", "Coin", "name=y", "--zone", "Home")
        #expect(try await cabinet.rows("zones").map { $0[0] } == ["zone", "Home", "Travel", "_defaultZone"])
        #expect(try await cabinet.failure(2, "zones", "add", "_a").contains("no underscore"))
    }

    @Test("The rows of an import that is killed leave the machine with the next import", .timeLimit(.minutes(15)))
    func killed() async throws {
        let rows = (0..<40_000).map { "n\($0),\($0)\n" }
        _ = try cabinet.folder.write("recordName,x\n" + rows.joined(), to: "a.csv")
        _ = try cabinet.folder.write("recordName,x\na,1\n", to: "b.csv")
        let temporary = cabinet.folder.path("temporary")
        let script = """
            export TMPDIR='\(temporary)' && mkdir "$TMPDIR"
            '\(cabinet.program.executable.path)' import a.csv T --store '\(cabinet.store)' & pid=$!
            \(cabinet.waitForRecords(of: "T")); kill -KILL $pid; wait $pid
            '\(cabinet.program.executable.path)' import b.csv U --store '\(cabinet.store)'
            find "$TMPDIR" -name '*.jsonl'
            """
        let outcome = try await Program.installed("sh").run(["-c", script], in: cabinet.folder)
        #expect(outcome.output.contains("b.csv: 1 record in ") && !outcome.output.contains(temporary), "\(outcome)")
    }

    @Test("The lines of a schema that Apple's tool has exported are printed again, and a field may be called etag")
    func systemFields() async throws {
        let text = """
            DEFINE SCHEMA

                RECORD TYPE Coin (
                    "___createTime" TIMESTAMP,
                    "___createdBy"  REFERENCE,
                    "___etag"       STRING,
                    "___modTime"    TIMESTAMP,
                    "___modifiedBy" REFERENCE,
                    "___recordID"   REFERENCE QUERYABLE,
                    etag            STRING QUERYABLE,
                    name            STRING,
                    GRANT WRITE TO "_creator",
                    GRANT CREATE TO "_icloud",
                    GRANT READ TO "_world"
                );

            """
        try await cabinet.output("schema", "import", cabinet.folder.write(text, to: "a.ckdb"))
        #expect(try await cabinet.output("schema", "export", "--strict", "--system-fields") + "" == text)
        #expect(!(try await cabinet.output("schema", "export").contains("___etag")))
        try await cabinet.output("save", "a", "--type", "Coin", "etag=x")
        #expect(try await cabinet.output("count", "Coin", "etag == 'x'") == "1\n")
    }
}
