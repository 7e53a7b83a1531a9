import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: records")
struct RecordCommandTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    @Test("Records are queried as a table, as CSV and as JSON")
    func formats() async throws {
        try await cabinet.saveCoins()
        let rows = try await cabinet.rows("query", "Coin", "year > 1900", "--sort=-year", "--fields", "name,year,tags")
        #expect(
            rows == [
                ["recordName", "name", "year", "tags"], ["euro", "Euro", "2002", ""],
                ["penny", "Penny", "1967", "old, gb"],
            ])
        let csv = try await cabinet.output("query", "Coin", "--format", "csv", "--fields", "year,name", "--limit", "2")
        #expect(csv == "recordName,year,name\npenny,1967,Penny\ncrown,1890,\"Crown, \"\"silver\"\"\"\n")
        let json = try await cabinet.output("query", "Coin", "old.year < 1900", "--format", "json")
        #expect(json.hasPrefix(#"{"recordName":"euro","recordType":"Coin","changeTag":""#))
        #expect(
            json.hasSuffix(#""fields":{"name":"Euro","old":{"reference":"crown","action":"none"},"year":2002}}"# + "\n")
        )
        #expect(try await cabinet.output("count", "Coin", "name CONTAINS 'r' OR year = 1967") == "3\n")
        #expect(try await cabinet.rows("types") == [["type", "records", "fields"], ["Coin", "3", "5"]])
        let explanation = try await cabinet.output("explain", "Coin", "year > 1900")
        #expect(explanation.contains("decided by the store: year > 1900"))
    }

    @Test("Records are counted in groups, with the sum, the mean and the limits of another field")
    func groups() async throws {
        try await cabinet.saveCoins()
        try await cabinet.output("save", "cent", "--type", "Coin", "--create", "name=Euro", "year=2005")
        #expect(
            try await cabinet.rows("count", "Coin", "--by", "name") == [
                ["name", "count"], ["Crown, \"silver\"", "1"], ["Euro", "2"], ["Penny", "1"],
            ])
        let csv = try await cabinet.output(
            "count", "Coin", "year > 1900", "--by", "name", "--of", "year", "--format", "csv")
        #expect(
            csv == """
                name,count,sum,average,minimum,maximum
                Euro,2,4007,2003.5,2002,2005
                Penny,1,1967,1967,1967,1967

                """)
        let texts = try await cabinet.output("count", "Coin", "--by", "old", "--of", "name", "--format", "json")
        #expect(texts.contains("\"sum\":null") && texts.contains("\"maximum\":\"Penny\""), "\(texts)")
        #expect(try await cabinet.failure(2, "count", "Coin", "--of", "year").contains("--of needs --by"))
        #expect(try await cabinet.failure(2, "count", "Coin", "--by", "tags").contains("'tags'"))
        #expect(try await cabinet.failure(2, "count", "Coin", "--by", "nmae").contains("'nmae'"))
        #expect(try await cabinet.failure(2, "count", "Coin", "--by", "name", "--of", "yaer").contains("'yaer'"))
    }

    @Test("A record is created, changed and deleted")
    func changes() async throws {
        let created = try await cabinet.output(
            "save", "penny", "--type", "Coin", "name=Penny", "year=1967",
            "due={\"timestamp\":\"2026-12-24T18:00:00Z\"}",
            "empty={\"list\":\"STRING\"}", "raw={\"bytes\":\"AAE=\"}",
            "place={\"location\":{\"latitude\":1,\"longitude\":-2.5}}", "prices=[1,2.5]", "note=")
        #expect(created.contains(#""due":{"timestamp":"2026-12-24T18:00:00.000Z","seconds":819828000.0}"#))
        #expect(created.contains(#""empty":{"list":"STRING"}"#))
        #expect(
            created.contains(
                #""place":{"location":{"latitude":1.0,"longitude":-2.5}},"prices":[1.0,2.5],"raw":{"bytes":"AAE="}"#))
        #expect(!created.contains("note"))
        let changed = try await cabinet.output("save", "penny", "year=1968", "name=")
        #expect(changed.contains(#""year":1968"#) && !changed.contains("Penny"))
        #expect(try await cabinet.output("get", "penny") == changed)
        #expect(try await cabinet.output("delete", "penny") == "1 record is deleted.\n")
        #expect(try await cabinet.failure(3, "get", "penny").contains("no such record"))
        #expect(try await cabinet.failure(3, "delete", "penny").contains("no such record"))
    }

    @Test("An invalid line of the input is named, and the lines before it stay saved, as the exit codes say")
    func linesOfInput() async throws {
        let lines = """
            {"recordName":"a","recordType":"T","fields":{"x":1}}

            {"recordName":"b","recordType":"T","fields":{"x":"text"}}
            {"recordName":"c","recordType":"T","fields":{"x":1}}
            """
        let error = try await cabinet.failure(2, "save", input: lines)
        #expect(error.hasPrefix("Line 3, after which nothing was saved: "), "\(error)")
        #expect(try await cabinet.output("count", "T") == "1\n")
        #expect(try await cabinet.output("--help").contains("earlier lines of the input stay saved"))
    }

    @Test("A value has the type of its field, and a refusal shows the form")
    func typedValues() async throws {
        try await cabinet.output(
            "save", "p1", "--type", "Task", "name=First", "due={\"timestamp\":\"2026-12-24T18:00:00Z\"}", "number=1",
            "price=2.5", "tags=[\"a\"]", "sizes=[1]", "raw={\"bytes\":\"AAE=\"}", "zip=\"00123\"",
            "place={\"location\":{\"latitude\":1,\"longitude\":2}}")
        try await cabinet.output(
            "save", "p2", "--type", "Task", "project={\"reference\":\"p1\",\"action\":\"deleteSelf\"}")
        let saved = try await cabinet.output(
            "save", "p2", "due=2026-11-25T18:00:00Z", "project=p2", "tags=old, gb", "sizes=3,4", "price=3",
            "place=41.9, 12.5",
            "zip=00456", "name=1967", "number=true", "raw=AAI=")
        #expect(saved.contains(#""due":{"timestamp":"2026-11-25T18:00:00.000Z""#))
        #expect(saved.contains(#""name":"1967","number":1"#) && saved.contains(#""zip":"00456""#))
        #expect(saved.contains(#""price":3.0,"project":{"reference":"p2","action":"deleteSelf"}"#))
        #expect(saved.contains(#""sizes":[3,4],"tags":["old","gb"]"#) && saved.contains(#""latitude":41.9"#))
        #expect(try await cabinet.output("save", "p2", "project=p1 nullify").contains(#""action":"nullify""#))
        for day in ["2026-11-25", "2026-11-25 09:30", "tomorrow", "now"] {
            #expect(try await cabinet.output("save", "p2", "due=\(day)").contains("timestamp"))
        }
        let marks = try await cabinet.output("save", "p2", "tags=a\u{600},\u{301}b")
        #expect(marks.utf8.contains("[\"a\u{600}\",\"\u{301}b\"]".utf8), "\(marks)")
        for (word, form) in [
            ("due=next week", "TIMESTAMP values. Write 2026-11-25"), ("due=2026-02-30", "TIMESTAMP"),
            ("number=1.5", "a whole number"),
            ("price=cheap", "a number such as 2.5"), ("sizes=1,x", "'x' does not fit"), ("place=here", "41.9, 12.5"),
            ("raw=%", "Base64"), ("project=a b c", "the name of a record"),
        ] {
            let refusal = try await cabinet.failure(2, "save", "p2", word)
            #expect(refusal.contains(form), "\(refusal)")
        }
        #expect(try await cabinet.failure(2, "save", "p2", "number=1", "number=2").contains("given twice"))
        let line = #"{"recordName":"p2","fields":{"due":"yesterday","project":"p1"}}"#
        #expect(
            try await cabinet.output("save", input: line).contains(#""project":{"reference":"p1","action":"nullify"}"#))
    }

    @Test("A deletion says what its delete rules include, and asks on a terminal")
    func cascade() async throws {
        try await cabinet.output("save", "list", "--type", "Lists", "name=Groceries")
        for name in ["milk", "bread"] {
            try await cabinet.output(
                "save", name, "--type", "Items", "list={\"reference\":\"list\",\"action\":\"deleteSelf\"}")
        }
        try await cabinet.output(
            "save", "note", "--type", "Notes", "items=[{\"reference\":\"milk\",\"action\":\"deleteSelf\"}]")
        try await cabinet.output("save", "free", "--type", "Items", "list={\"reference\":\"list\"}")
        try await Terminal.running(
            cabinet.program, ["delete", "list", "--store", cabinet.store], in: cabinet.folder
        ) { terminal in
            try await terminal.wait(for: "Delete 1 record, and by their delete rules 2 Items, 1 Notes? (y/N)")
            try await terminal.press("n", "Enter")
            try await terminal.wait(for: "Nothing was deleted.")
        }
        #expect(
            try await cabinet.output("delete", "list")
                == "1 record is deleted. The delete rules included 2 Items, 1 Notes.\n")
        #expect(try await cabinet.output("count", "Items") == "1\n")
    }

    @Test("Types that the user may not read are listed without a count, and a deletion says that it may include them")
    func unreadable() async throws {
        let schema = """
            DEFINE SCHEMA CREATE ROLE Admin; RECORD TYPE Post (name STRING);
            RECORD TYPE Secret (post REFERENCE, GRANT READ, CREATE, WRITE TO Admin);
            """
        let file = try cabinet.folder.write(schema, to: "posts.ckdb")
        try await cabinet.output("schema", "import", file, "--database", "public")
        try await cabinet.output("save", "post", "--type", "Post", "name=A", "--database", "public")
        try await cabinet.output(
            "save", "secret", "--type", "Secret", "post={\"reference\":\"post\",\"action\":\"deleteSelf\"}",
            "--database", "public", "--roles", "Admin")
        let types = try await cabinet.output("types", "--database", "public", "--format", "json")
        #expect(types.contains(#"{"type":"Secret","records":null,"fields":1}"#), "\(types)")
        let deletion = try await cabinet.output("delete", "post", "--database", "public")
        #expect(deletion.contains("included possibly records that the user may not read."), "\(deletion)")
    }

    @Test("A denied deletion exits with 2, and its reason is printed once; a missing file exits with 3")
    func denials() async throws {
        try await cabinet.output("save", "list", "--type", "Lists", "name=Groceries")
        try await cabinet.output(
            "save", "milk", "--type", "Items", "list={\"reference\":\"list\",\"action\":\"deny\"}")
        let refusal = try await cabinet.failure(2, "delete", "list")
        #expect(refusal.hasPrefix("The record cannot be deleted: milk refers to it in 'list'"), "\(refusal)")
        #expect(refusal.split(separator: "\n").count == 1, "\(refusal)")
        let file = #"{"recordName":"picture","recordType":"Pictures","fields":{"photo":{"file":"/nowhere"}}}"#
        #expect(try await cabinet.failure(3, "save", input: file).contains("There is no file at /nowhere."))
    }

    @Test("A unique violation exits with 2, as does a key twice in an edited record")
    func refusals() async throws {
        let schema = try cabinet.folder.write(
            "DEFINE SCHEMA\n    RECORD TYPE Coin (\n        name STRING,\n        UNIQUE (name)\n    );\n",
            to: "schema.ckdb")
        try await cabinet.output("schema", "import", schema)
        try await cabinet.output("save", "a", "--type", "Coin", "name=Penny")
        #expect(try await cabinet.failure(2, "save", "b", "--type", "Coin", "name=Penny").contains("a"))
        let line = #"{"recordName":"a","fields":{"name":"A","n\u0061me":"B"}}"#
        let repetition = try await cabinet.failure(2, "save", input: line)
        #expect(repetition.contains("the key 'name' is repeated"))
        #expect(!repetition.contains("not a JSON object"))
        #expect(
            try await cabinet.failure(3, "get", "missing", "--environment", "production").contains("no such record"))
    }

    @Test("A change tag that is no longer current is a conflict, and so is a record that should be new")
    func conflict() async throws {
        let record = try await cabinet.output("save", "penny", "--type", "Coin", "year=1967")
        try await cabinet.output("save", "penny", "year=1968")
        #expect(
            try await cabinet.failure(6, "save", input: record).contains("Another client has changed the record penny.")
        )
        #expect(try await cabinet.failure(6, "save", "penny", "--create", "year=1").contains("exists already"))
        #expect(try await cabinet.output("get", "penny").contains(#""year":1968"#))
        // One that was deleted is not created again.
        try await cabinet.output("delete", "penny")
        #expect(try await cabinet.failure(3, "save", input: record).contains("does not exist here"))
        #expect(try await cabinet.output("count", "Coin") == "0\n")
        #expect(try await cabinet.output("save", "--create", input: record).contains(#""year":1967"#))
    }

    @Test("The editor changes the fields; an unchanged file and a failed editor save nothing")
    func edit() async throws {
        try await cabinet.saveCoins()
        func edit(with editor: String) async throws -> Program.Outcome {
            try await Program.installed("env").run(
                [
                    "EDITOR=\(editor)", "VISUAL=", cabinet.program.executable.path, "edit", "penny", "--store",
                    cabinet.store,
                ],
                in: cabinet.folder)
        }
        let edited = try await edit(with: "sed -i -e s/Penny/Farthing/ -e /price/d")
        #expect(edited.status == 0, "\(edited.errors)")
        #expect(edited.output.contains(#""fields":{"name":"Farthing","tags":["old","gb"],"year":1967}"#))
        #expect(try await edit(with: "true").output == "Nothing was changed.\n")
        // The same letter in its other normal form is a change.
        try await cabinet.output("save", "penny", "name=\u{E9}")
        let decomposed = try await edit(with: "sed -i s/\u{E9}/e\u{301}/").output
        #expect(decomposed.utf8.contains("\"name\":\"e\u{301}\"".utf8), "\(decomposed)")
        try await cabinet.output("save", "penny", "name=\u{301}Farthing")
        #expect(try await edit(with: "false").errors.contains("Nothing was saved."))
        #expect(try await edit(with: "truncate -s 3").status == 2)
        #expect(try await cabinet.output("get", "penny").contains("Farthing"))
    }

    @Test(
        "The editor's file is the user's alone, and is removed also when a signal ends the program",
        .timeLimit(.minutes(15)), arguments: [("TERM", 143), ("HUP", 129), ("INT", 130)])
    func editorsFile(signal: String, status: Int32) async throws {
        try await cabinet.saveCoins()
        let editor = try cabinet.folder.write(
            "ls -l \"$1\"; ls -ld \"$(dirname \"$1\")\"; echo > edited; exec sleep 60", to: "editor.sh")
        let script = """
            umask 0; export EDITOR='sh \(editor)' VISUAL=
            '\(cabinet.program.executable.path)' edit penny --store '\(cabinet.store)' & pid=$!
            while ! test -e edited; do sleep 0.01; done; sleep 0.2
            kill -\(signal) $pid; wait $pid; echo $?; find cabinet-edits-* -mindepth 1
            """
        let outcome = try await Program.installed("sh").run(["-c", script], in: cabinet.folder)
        #expect(outcome.lines.count == 3, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.lines.first?.hasPrefix("-rw-------") == true && outcome.lines[1].hasPrefix("drwx------"))
        #expect(outcome.lines.last == "\(status)")
    }

    @Test("Changes continue from a token, and zones are listed")
    func feed() async throws {
        try await cabinet.saveCoins()
        let lines = try await cabinet.output("changes").split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix(#"{"saved":{"recordName":"#))
        let token = try #require(lines[3].split(separator: "\"").last { $0.count > 10 }.map(String.init))
        try await cabinet.output("delete", "euro")
        let next = try await cabinet.output("changes", "--since", token).split(separator: "\n")
        #expect(next.count == 2)
        #expect(next[0] == #"{"deleted":{"recordName":"euro","recordType":"Coin"}}"#)
        #expect(try await cabinet.failure(2, "changes", "--since", "abc").contains("The token cannot be read."))
        #expect(try await cabinet.rows("zones").count == 2)
        #expect(try await cabinet.rows("subscriptions").count == 1)
    }

    @Test("A table fits the terminal", arguments: [40, 100])
    func terminal(columns: Int) async throws {
        try await cabinet.output(
            "save", "a", "--type", "T", "text=\(String(repeating: "long text ", count: 30))", "b=end")
        try await Terminal.running(
            cabinet.program, ["query", "T", "--store", cabinet.store], in: cabinet.folder, columns: columns
        ) { terminal in
            let screen = try await terminal.wait(for: "[ended with 0]")
            let rows = screen.split(separator: "\n").filter { $0.hasPrefix("a ") }
            #expect(rows.count == 1)
            #expect(rows.first?.hasSuffix("…") == true)
        }
    }

    @Test("Changes are followed until Ctrl-C", .timeLimit(.minutes(15)))
    func follow() async throws {
        try await cabinet.saveCoins()
        let program = "'\(cabinet.program.executable.path)'"
        let store = "--store '\(cabinet.store)'"
        let script = """
            : > out
            \(program) changes --follow \(store) > out & pid=$!
            while ! grep -q euro out; do sleep 0.02; done
            \(program) save mark --type Coin name=Mark \(store) > saved
            while ! grep -q mark out; do sleep 0.02; done
            \(program) delete mark \(store) > saved
            while ! grep -q deleted out; do sleep 0.02; done
            kill -INT $pid; wait $pid; echo $?
            """
        let outcome = try await Program.installed("sh").run(["-c", script], in: cabinet.folder)
        #expect(outcome.output == "130\n")
        #expect(outcome.errors == "")
    }

    @Test("Commands of a zone change, find and count its records alone")
    func zones() async throws {
        try await cabinet.saveCoins()
        let line = "{\"recordName\":\"penny\",\"recordType\":\"Coin\",\"zone\":\"Work\",\"fields\":{\"year\":1}}\n"
        let file = try cabinet.folder.write("{\"zone\":\"Work\"}\n" + line, to: "zone.jsonl")
        try await cabinet.output("import", file)
        let zone = ["--zone", "Work"]
        func run(_ words: String...) async throws -> Program.Outcome {
            try await cabinet.program.run(words + zone + ["--store", cabinet.store], in: cabinet.folder)
        }
        #expect(try await run("count", "Coin").output == "1\n")
        #expect(try await run("query", "Coin", "--fields", "year").output == "recordName\tyear\npenny\t1\n")
        #expect(try await run("types", "--format", "csv").output == "type,records,fields\nCoin,1,5\n")
        #expect(try await run("stats", "--format", "csv").output.contains("\nCoin,1,"))
        #expect(try await run("get", "penny").output.contains(#""zone":"Work""#))
        #expect(try await run("changes").output.split(separator: "\n").count == 2)
        try await cabinet.output("save", input: line.replacing("\"year\":1", with: "\"year\":2"))
        #expect(try await run("get", "penny").output.contains(#""fields":{"year":2}"#))
        #expect(try await run("delete", "penny").status == 0)
        #expect(try await cabinet.output("count", "Coin") == "3\n")
        #expect(try await run("get", "penny").status == 3)
        let missing = try await cabinet.program.run(
            ["changes", "--zone", "Nowhere", "--store", cabinet.store], in: cabinet.folder)
        #expect(missing.status == 3, "\(missing.errors)")
    }

    @Test("Values without a JSON form of their own, and system fields, are shown and read again")
    func values() async throws {
        let text = "a\u{2028}b\u{7F}"
        try await cabinet.output(
            "save", "a", "--type", "T", "flag=true", "text=\(text)", "huge={\"double\":\"inf\"}",
            "place={\"location\":{\"latitude\":1,\"longitude\":-2.5,\"timestamp\":5}}")
        let saved = try await cabinet.output("get", "a")
        #expect(saved.contains(#""flag":1,"huge":{"double":"inf"}"#))
        #expect(saved.contains(#""latitude":1.0,"longitude":-2.5,"timestamp":5.0"#))
        #expect(saved.contains(#""text":"a\u2028b\u007f""#), "\(saved)")
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await cabinet.output("save", "a", "photo={\"file\":\"\(picture)\"}")
        let row = try await cabinet.rows("query", "T", "--fields", "place,photo,creationDate,modificationDate")[1]
        #expect(row[1] == "1.0, -2.5" && row[2] == "9 bytes" && row[3] != row[4] && row[3] < row[4], "\(row)")
        // The printed description of a stored file keeps it.
        let printed = try await cabinet.output("get", "a").replacing("\"flag\":1", with: "\"flag\":0")
        #expect(try await cabinet.output("save", input: printed).contains(#""size":9"#))
        let type = try await cabinet.failure(2, "save", "a", "--type", "Other", "flag=false")
        #expect(type.contains("is of type T, and cannot become Other"))
        try await cabinet.output("save", "b", "--type", "T", "flag=0")
        let limited = try await cabinet.run("query", "T", "--limit", "1")
        #expect(limited.lines.count == 2 && limited.errors.contains("There are more records."))
    }

    @Test("The least and the greatest numbers in arguments are numbers like others")
    func greatNumbers() async throws {
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await cabinet.output("save", "a", "--type", "T", "photo={\"file\":\"\(picture)\"}")
        #expect(try await cabinet.rows("query", "T", "--limit", "\(Int.max)").count == 2)
        for number in ["\(Int.min)", "\(Int.max)", "0", "2"] {
            let new = cabinet.folder.path("new")
            #expect(
                try await cabinet.failure(3, "assets", "get", "a", "photo:\(number)", new).contains("has no file in"))
        }
    }

    @Test("An input that is not text, or that cannot be read, is refused with the number of the line")
    func damagedInput() async throws {
        let line = #"{"recordName":"b","recordType":"T","fields":{"x":1}}"#
        let bytes =
            Data((#"{"recordName":"a","recordType":"T","fields":{"x":1}}"# + "\r\n").utf8) + Data([0x22, 0xFF, 0x0A])
        let file = try cabinet.folder.write("", to: "input")
        try (bytes + Data(line.utf8)).write(to: URL(filePath: file))
        func save(from input: String) async throws -> Program.Outcome {
            let command = "'\(cabinet.program.executable.path)' save --store '\(cabinet.store)' < \(input)"
            return try await Program.installed("sh").run(["-c", command], in: cabinet.folder)
        }
        let text = try await save(from: file)
        #expect(text.status == 2 && text.errors.contains("Line 2, ") && text.errors.contains("not UTF-8"), "\(text)")
        #expect(try await cabinet.output("count", "T") == "1\n")
        let folder = try await save(from: ".")
        #expect(folder.status == 1 && folder.errors.contains("directory"), "\(folder)")
    }

    @Test("Another account has a private database of its own")
    func accounts() async throws {
        try await cabinet.saveCoins()
        try await cabinet.output("save", "a", "--type", "Stamp", "name=A", "--account", "_ben")
        #expect(try await cabinet.output("types", "--account", "_ben", "--format", "csv").hasSuffix("Stamp,1,1\n"))
        #expect(try await cabinet.rows("types").map { $0[0] } == ["type", "Coin"])
    }
}
