import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: help, mistakes and pipes")
struct DashboardHelpTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    private static let commands = [
        "types", "schema export", "schema validate", "schema diff", "schema import", "schema deploy", "schema rename",
        "schema drop",
        "schema reset",
        "query", "count", "explain", "get", "save", "edit", "delete", "zones", "zones add", "subscriptions", "changes",
        "browse",
        "dashboard",
        "shares list", "shares show", "shares accept", "shares leave", "mirror", "mirror pending", "mirror retry",
        "mirror discard",
        "assets list",
        "assets get", "assets sizes", "assets unused", "export", "import", "copy", "backup", "restore", "verify",
        "compact", "stats", "serve", "users add", "users change", "users list", "users disable", "users enable",
        "users sign-in",
        "users sign-out", "tokens add", "tokens list", "tokens revoke", "keys add", "keys list", "keys revoke", "shell",
        "completion", "manual",
    ]

    @Test("Every command has help with an example, and is in the manual and in both completions")
    func help() async throws {
        let listed = try await cabinet.output("--help").split(separator: "\n").drop { $0 != "Commands:" }.dropFirst()
            .prefix { $0.hasPrefix("  ") }
        #expect(listed.count == Self.commands.count)
        let manual = try await cabinet.output("manual")
        let scripts = [try await cabinet.output("completion", "bash"), try await cabinet.output("completion", "zsh")]
        for command in Self.commands {
            let words = command.split(separator: " ").map(String.init)
            let help = try await cabinet.program.run(words + ["--help"], in: cabinet.folder)
            #expect(help.status == 0)
            #expect(help.output.contains("\nExamples:\n  "), "\(command)")
            #expect(manual.contains(".B \(command.replacing("-", with: "\\-"))"), "\(command)")
            for script in scripts { #expect(script.contains("\"\(command) \"*)"), "\(command)") }
        }
        #expect(try await cabinet.output("help") == cabinet.output("--help"))
        #expect(try await cabinet.output("help", "zones", "add") == cabinet.output("zones", "add", "--help"))
        for option in ["database", "zone", "account", "environment"] { #expect(manual.contains(".B \\-\\-\(option) ")) }
        for code in [0, 1, 2, 3, 5, 6, 130] { #expect(manual.contains("\n.B \(code)\n"), "\(code)") }
        #expect(scripts[1].hasPrefix("#compdef cabinet\n"))
    }

    @Test("The help of an option says what the command does with it")
    func options() async throws {
        let dashboard = try await cabinet.output("dashboard", "--help")
        #expect(!dashboard.contains("unix:") && !dashboard.contains("8080 (default)"))
        let schema = try await cabinet.output("schema", "import", "--help")
        #expect(schema.contains("indexes and unique keys") && !schema.contains("enforce UNIQUE"))
    }

    @Test("bash completes commands, words of a group and options")
    func completion() async throws {
        let script = try cabinet.folder.write(try await cabinet.output("completion", "bash"), to: "completion.sh")
        func completions(_ words: String) async throws -> String {
            let count = words.split(separator: " ", omittingEmptySubsequences: false).count
            let array = words.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }.joined(
                separator: " ")
            let code =
                "source '\(script)'; COMP_WORDS=(\(array)); COMP_CWORD=\(count - 1); _cabinet; echo \"${COMPREPLY[*]}\""
            return try await Program.installed("bash").run(["-c", code], in: cabinet.folder).output
        }
        #expect(try await completions("cabinet sch") == "schema\n")
        #expect(try await completions("cabinet schema d") == "diff deploy drop\n")
        #expect(try await completions("cabinet query Coin --so") == "--sort\n")
        #expect(try await completions("cabinet schema deploy --d") == "--dry-run --database\n")
    }

    @Test("Unknown commands, options, formats and names are answered with the nearest ones")
    func mistakes() async throws {
        try await cabinet.saveCoins()
        #expect(try await cabinet.failure(2, "qurey", "Coin").contains("Did you mean 'query'?"))
        #expect(try await cabinet.failure(2, "query", "Coin", "--sotr", "x").contains("Did you mean '--sort'?"))
        #expect(
            try await cabinet.failure(2, "schema").contains(
                "'schema' is followed by export, validate, diff, import, deploy, rename, drop or reset."))
        #expect(
            try await cabinet.failure(2, "schema", "bogus").hasPrefix(
                "There is no command 'schema bogus'. 'schema' is followed by export, "))
        #expect(try await cabinet.failure(2, "schema", "exprot").contains("Did you mean 'schema export'?"))
        #expect(try await cabinet.failure(2, "query", "Coin", "--format", "xml").contains("Use table, json or csv."))
        #expect(try await cabinet.failure(2, "query", "Coins").contains("Did you mean 'Coin'?"))
        #expect(try await cabinet.failure(2, "query", "Coin", "yaer > 1").contains("Did you mean 'year'?"))
        #expect(try await cabinet.failure(2, "query", "Coin", "year > ").contains("year > \n"))
        #expect(try await cabinet.failure(2, "query", "Coin", "--limit", "x").contains("The limit is 'x'"))
        #expect(try await cabinet.failure(2, "save", input: "{\"recordName\"").contains("This is not a JSON object"))
        #expect(
            try await cabinet.failure(2, "save", "a", "--type", "T", "x=[1,\"a\"]").contains(
                "a list with values of one type"))
        #expect(try await cabinet.failure(2, "types", "--database", "shared").contains("Use private or public."))
    }

    @Test("A missing or wrong store is reported, and no command that reads creates one")
    func stores() async throws {
        let none = try await cabinet.program.run(["types"], in: cabinet.folder)
        #expect(none.status == 2)
        #expect(none.errors == "No store is given. Use --store FOLDER, or set CABINET_STORE.\n")
        let wrong = try await cabinet.program.run(["types", "--store", "nowhere"], in: cabinet.folder)
        #expect(wrong.status == 3)
        #expect(wrong.errors.contains("/nowhere. Check --store and CABINET_STORE."))
        #expect(!FileManager.default.fileExists(atPath: cabinet.folder.path("nowhere")))
        try await cabinet.saveCoins()
        let environment = try await Program.installed("env").run(
            ["CABINET_STORE=\(cabinet.store)", cabinet.program.executable.path, "count", "Coin"], in: cabinet.folder)
        #expect(environment.output == "3\n")
    }

    @Test("A pipe that is closed early ends the program without a message")
    func closedPipe() async throws {
        let lines = (0..<3000).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        let file = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        try await cabinet.output("import", file)
        let command = "'\(cabinet.program.executable.path)' query T --format csv --store '\(cabinet.store)' | head -n 2"
        let outcome = try await Program.installed("sh").run(["-c", command], in: cabinet.folder)
        #expect(outcome.output == "recordName,x\nn0,0\n")
        #expect(outcome.errors == "")
    }
}
