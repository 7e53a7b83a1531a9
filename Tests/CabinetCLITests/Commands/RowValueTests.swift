import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: the values of tables and of plain JSON")
struct RowValueTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    /// Prints the records of a type, and imports them into a store.
    private func move(_ type: String, as format: String, to store: String) async throws -> Program.Outcome {
        let text = try await cabinet.output("query", type, "--format", format)
        let file = try cabinet.folder.write(text, to: format == "csv" ? "rows.csv" : "rows.jsonl")
        return try await cabinet.program.run(["import", file, type, "--store", store], in: cabinet.folder)
    }

    /// Creates a store with the schema, and returns its path.
    private func newStore(_ name: String) async throws -> String {
        let schema = try cabinet.folder.write(try await cabinet.output("schema", "export"), to: "schema.ckdb")
        let store = cabinet.folder.path(name)
        let outcome = try await cabinet.program.run(["schema", "import", schema, "--store", store], in: cabinet.folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return store
    }

    @Test(
        "Every value comes back from CSV and from JSON, with delete rules, precision and lists",
        arguments: ["csv", "json"])
    func everyValue(format: String) async throws {
        let values = [
            #""list":{"reference":"a","action":"deleteSelf"},"plain":{"reference":"5"}"#,
            #""list":{"reference":"null","action":"nullify"},"plain":{"reference":"null"}"#,
            #""place":{"location":{"latitude":41.9,"longitude":12.5}},"day":{"timestamp":"2026-01-02T03:04:05.250Z"}"#,
            #""place":{"location":{"latitude":-0.5,"longitude":12.5,"altitude":30.0,"horizontalAccuracy":2.5}}"#,
            #""day":{"timestamp":"2026-01-02T03:04:05Z","seconds":789015845.1234567},"number":{"double":"inf"},"text":"a, \"b\"\nc""#,
            #""number":0.1,"bytes":{"bytes":"null"},"text":"{\"reference\":\"a\"}""#,
            #""number":1e300,"bytes":{"bytes":""},"text":"007","count":-5"#,
            #""tags":["a, b","","c"],"numbers":[1.5,2],"bytes":{"bytes":"1234"}"#,
            #""tags":{"list":"STRING"},"numbers":[-1],"lists":[{"reference":"a","action":"deny"},{"reference":"5"}]"#,
        ]
        let names = ["a", "null"] + (2..<values.count).map { "\($0)" }
        let lines = zip(names, values).map { "{\"recordName\":\"\($0)\",\"recordType\":\"T\",\"fields\":{\($1)}}\n" }
        try await cabinet.output("import", cabinet.folder.write(lines.joined(), to: "all.jsonl"))
        let store = try await newStore("other")
        let outcome = try await move("T", as: format, to: store)
        #expect(outcome.status == 0 && outcome.output.contains(": \(values.count) records in "), "\(outcome.errors)")
        let copy = try await cabinet.program.run(["stats", "--store", store], in: cabinet.folder)
        #expect(try await cabinet.output("stats") == copy.output)
        let table = try await cabinet.output("query", "T", "--format", "csv", "--fields", "list,plain,place")
        #expect(table.contains("a,a deleteSelf,5,\n") && table.contains(#","41.9, 12.5""#), "\(table)")
    }

    @Test("Digits of other scripts are not those of a time or of a number")
    func otherDigits() async throws {
        try await cabinet.output("save", "a", "--type", "T", #"day={"timestamp":"2026-11-25T18:00:00Z"}"#)
        for time in ["2026-11-25 ١٨:٠٠", "٢٠٢٦-١١-٢٥"] {
            #expect(try await cabinet.failure(2, "save", "a", "day=\(time)").contains("does not fit the field 'day'"))
        }
        try await cabinet.output("import", cabinet.folder.write("recordName,sum\nb,١.٥\n", to: "sums.csv"), "T")
        #expect(try await cabinet.output("get", "b").contains(#""sum":"١.٥""#))
    }

    @Test("An asset without a file is passed over and named, and the stored one stays", arguments: ["csv", "json"])
    func assets(format: String) async throws {
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await cabinet.output(
            "save", "penny", "--type", "Coin", "name=Penny", "photo={\"file\":\"\(picture)\"}",
            "more=[{\"file\":\"\(picture)\"}]")
        for store in [cabinet.folder.path("fresh"), try await newStore("other"), cabinet.store] {
            let outcome = try await move("Coin", as: format, to: store)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("Assets without their files are passed over: more, photo.\n"))
            #expect(!outcome.errors.contains("'photo' is new"), "\(outcome.errors)")
            let names = try await cabinet.program.run(
                ["query", "Coin", "--fields", "name", "--format", "csv", "--store", store], in: cabinet.folder)
            #expect(names.output == "recordName,name\npenny,Penny\n")
        }
        try await cabinet.output("assets", "get", "penny", "photo", cabinet.folder.path("copy.txt"))
        try await cabinet.output("assets", "get", "penny", "more:1", cabinet.folder.path("more.txt"))
    }

    @Test("A new field of days holds dates, and one of other words text")
    func days() async throws {
        let table =
            "recordName,day,date,word,wrong\na,2026-11-25,2026-11-25 18:00,today,2026-11-31\nb,,2026-11-26T18:00:00Z,x,\n"
        let outcome = try await cabinet.run("import", cabinet.folder.write(table, to: "days.csv"), "T")
        #expect(
            outcome.errors == """
                The field 'date' is new, and its values are read as TIMESTAMP.
                The field 'day' is new, and its values are read as TIMESTAMP.
                The field 'word' is new, and its values are read as STRING.
                The field 'wrong' is new, and its values are read as STRING.

                """)
        try await cabinet.output("save", "c", "--type", "T", "day=2026-11-25")
        #expect(try await cabinet.output("count", "T", "--by", "day", "--format", "csv").contains(",2\n"))
    }

    @Test("An integer that no double equals is refused in a field of doubles, and another one is saved")
    func largeIntegers() async throws {
        try await cabinet.output("save", "a", "--type", "T", "number=0.5")
        let wrong = try cabinet.folder.write("{\"number\":9007199254740993}", to: "a.json")
        #expect(
            try await cabinet.failure(2, "import", wrong, "T").contains(
                "a.json:1: The field 'number' of T holds DOUBLE"))
        try await cabinet.output("import", cabinet.folder.write("{\"number\":9007199254740992}", to: "a.json"), "T")
        #expect(try await cabinet.output("count", "T") == "2\n")
    }
}
