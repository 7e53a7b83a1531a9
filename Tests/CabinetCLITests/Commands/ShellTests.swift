import Foundation
import ProgramTestSupport
import Testing

@testable import CabinetCLI
@testable import TerminalProgram

@Suite("Dashboard: the shell", .timeLimit(.minutes(15)))
struct ShellTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    @Test("In a pipe, each line is a command; the first that fails ends the shell with its exit code")
    func pipe() async throws {
        try await cabinet.saveCoins()
        let output = try await cabinet.output(
            "shell",
            input: "count Coin 'year > 1900'\n\n# a comment\ncount Coin \"name = 'Euro'\" # another\nexit\ntypes\n")
        #expect(output == "2\n1\n")
        #expect(try await cabinet.output("shell", input: "help count\n") == cabinet.output("count", "--help"))
        let errors = try await cabinet.failure(2, "shell", input: "qurey Coin\ncount Coin\n")
        #expect(errors.contains("Did you mean 'query'?"))
        #expect(try await cabinet.failure(3, "shell", input: "get nothing\ncount Coin\n").contains("no such record"))
        #expect(try await cabinet.failure(2, "shell", input: "count 'Coin\n").contains("no closing '"))
        let wrong = try await cabinet.program.run(
            ["shell", "--store", "nowhere"], in: cabinet.folder, input: "types\n")
        #expect(wrong.status == 3)
    }

    @Test("On a terminal, lines are edited, completed and recalled, and an error does not end the shell")
    func terminal() async throws {
        try await cabinet.saveCoins()
        let cache = "XDG_CACHE_HOME=\(cabinet.folder.path("cache"))"
        try await Terminal.running(
            cabinet.program, ["shell", "--store", cabinet.store], in: cabinet.folder, environment: [cache]
        ) { terminal in
            try await terminal.wait(for: "\ncabinet>")
            try await terminal.write("cou")
            try await terminal.press("Tab")
            try await terminal.type("Coin")
            try await terminal.wait(for: "\n3\n")
            // Without a prompt, Ctrl-C would end the program.
            try await terminal.wait(forPrompt: "cabinet>")
            try await terminal.write("qurey")
            try await terminal.press("C-c")
            try await terminal.wait(for: "qurey^C")
            try await terminal.press("Up")
            try await terminal.type(" 'year > 1900'")
            try await terminal.wait(for: "\n2\n")
            try await terminal.wait(forPrompt: "cabinet>")
            // Lines that arrive with pasted text are read, too.
            try await terminal.write("\u{1B}[200~count Coin\u{1B}[201~ 'year > 2000'\rexit\r")
            try await terminal.wait(for: "\n1\n")
            try await terminal.wait(for: "[ended with 0]")
        }
        let history = try String(contentsOfFile: cabinet.folder.path("cache/cabinet/history"), encoding: .utf8)
        #expect(history == "count Coin\ncount Coin 'year > 1900'\ncount Coin 'year > 2000'\nexit\n")
    }

    @Test("The browser takes the terminal, and returns it to the prompt, also after Ctrl-C")
    func browser() async throws {
        try await cabinet.saveCoins()
        let cache = "XDG_CACHE_HOME=\(cabinet.folder.path("cache"))"
        // A shell with job control, so that Ctrl-C reaches the program alone.
        let shell = Program(executable: URL(filePath: "/bin/sh"))
        try await Terminal.running(shell, ["-i"], in: cabinet.folder, environment: [cache]) { terminal in
            try await terminal.type("PS1='ready> '")
            try await terminal.type("'\(cabinet.program.executable.path)' shell --store '\(cabinet.store)'")
            for leave in ["q", "C-c"] {
                try await terminal.wait(forPrompt: "cabinet>")
                try await terminal.type("browse")
                try await terminal.wait(forRow: "Coin", "3")
                #expect(try await terminal.isFullScreen())
                try await terminal.press(leave)
                try await terminal.wait(forPrompt: "cabinet>")
                #expect(try await !terminal.isFullScreen())
                // The keys reach the prompt again, and not the browser.
                try await terminal.type("count Coin 'year \(leave == "q" ? "> 1900" : "< 1900")'")
                try await terminal.wait(for: leave == "q" ? "\n2\n" : "\n1\n")
            }
            // Ctrl-C still ends a command alone.
            try await terminal.type("changes --follow")
            try await terminal.wait(for: "\"token\"")
            try await terminal.press("C-c")
            try await terminal.wait(forPrompt: "cabinet>")
            try await terminal.type("exit")
            try await terminal.wait(forPrompt: "ready>")
            try await terminal.type("echo \"status $?\"")
            try await terminal.wait(for: "\nstatus 0")
        }
    }

    @Test("A signal at the prompt returns the terminal to the shell", arguments: ["TERM", "HUP"])
    func signals(name: String) async throws {
        try await cabinet.saveCoins()
        let shell = Program(executable: URL(filePath: "/bin/sh"))
        let command = "'\(cabinet.program.executable.path)' shell --store '\(cabinet.store)'"
        let script = "\(command); stty -a | tr ';' '\\n' | grep -o '[ -]icanon\\|[ -]echo '; echo done"
        try await Terminal.running(shell, ["-c", script], in: cabinet.folder) { terminal in
            try await terminal.wait(forPrompt: "cabinet>")
            _ = try await shell.run(
                ["-c", "kill -\(name) $(pgrep -f -- 'shell --store \(cabinet.store)$')"], in: cabinet.folder)
            let screen = try await terminal.wait(for: "done")
            #expect(screen.contains(" icanon") && screen.contains(" echo"))
            #expect(!screen.contains("-icanon") && !screen.contains("-echo"))
            // Marks around pasted text are off.
            let pasteCode = try terminal.everythingShown().matches(of: /\[\?2004([hl])/).last?.1
            #expect(pasteCode == "l")
        }
    }

    @Test("Words are split as in a shell")
    func words() throws {
        #expect(
            try ShellWords.split(#"query  Coin 'a "b"' "it's \"x\"" a\ b '' # rest"#) == [
                "query", "Coin", #"a "b""#, #"it's "x""#, "a b", "",
            ])
        #expect(try ShellWords.split("  ") == [])
        #expect(throws: CommandError.self) { try ShellWords.split("'a") }
        let marks = ["a\u{600}", "\u{301}b c", "d"]
        let words = try ShellWords.split("\"\(marks[0])\" '\(marks[1])' d")
        #expect(words.map { Array($0.utf8) } == marks.map { Array($0.utf8) })
    }

    @Test("A line is edited with keys, and completed with what the candidates have in common")
    func editing() {
        var line = LineEditing(history: ["first", "second"])
        func write(_ text: String) { for character in text { _ = line.handle(.character(character)) } }
        write("new")
        #expect(line.handle(.control("d")) == .editing)
        _ = line.handle(.up)
        _ = line.handle(.up)
        _ = line.handle(.up)
        #expect(line.field.text == "first")
        _ = line.handle(.down)
        _ = line.handle(.down)
        #expect(line.field.text == "new")
        #expect(line.handle(.enter) == .done("new"))
        _ = line.handle(.control("u"))
        #expect(line.handle(.control("d")) == .end)
        write("schema di")
        #expect(line.complete(with: ["diff", "deploy"]) == [])
        #expect(line.field.text == "schema diff ")
        _ = line.handle(.control("u"))
        write("ex")
        #expect(line.complete(with: ["explain", "export"]) == [])
        #expect(line.field.text == "exp")
        #expect(line.complete(with: ["explain", "export"]) == ["explain", "export"])
    }

    @Test("Options of the shell are those of its commands, unless a command has its own")
    func options() async throws {
        try await cabinet.saveCoins()
        try await cabinet.output("save", "a", "--type", "Stamp", "name=A", "--database", "public")
        let output = try await cabinet.output(
            "shell", "--database", "public", "--format=csv", input: "types\ntypes --database=private\n")
        #expect(output == "type,records,fields\nStamp,1,1\ntype,records,fields\nCoin,3,5\n")
    }

    @Test("The history leaves out repeated lines, those with a space before them, and the addresses of servers")
    func history() throws {
        let folder = cabinet.folder.url.appending(path: "history")
        var history = ShellHistory(in: folder)
        for line in ["types", "types", " stats", "", "copy postgresql://anna:secret@host/db", "zones"] {
            history.add(line)
        }
        #expect(history.lines == ["types", "zones"])
        #expect(ShellHistory(in: folder).lines == ["types", "zones"])
    }
}
