import Foundation
import Testing

@Suite("The program that runs the rules on the JSON Lines backend")
struct CheckProgramTests {
    private func run(_ arguments: String...) throws -> (output: String, errors: String, status: Int32) {
        try run(arguments)
    }

    private func run(_ arguments: [String]) throws -> (output: String, errors: String, status: Int32) {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = CheckProgram.executable
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let texts = [output, errors].map {
            String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        process.waitUntilExit()
        return (texts[0], texts[1], process.terminationStatus)
    }

    @Test("A family that does not exist is an error that lists the families")
    func unknownFamily() throws {
        let (output, errors, status) = try run("filter")
        #expect(status == 64)
        #expect(output == "")
        #expect(errors.contains("'filter' is neither a family of rules nor a rule"))
        #expect(errors.contains("delete rules"))
    }

    @Test("One family is run, and the program is its own helper")
    func durability() throws {
        let (output, errors, status) = try run("two processes share a store, or take turns", "names")
        #expect(status == 0, "\(output)\(errors)")
        #expect(output.contains("durability     1       0               0"), "\(output)")
        #expect(output.hasSuffix("Every applicable law holds.\n"))
    }

    @Test("A time limit is an option, and a rule has the name that failures print")
    func options() throws {
        let (output, errors, status) = try run("--time-limit", "300", "names: a record type is an identifier")
        #expect(status == 0, "\(output)\(errors)")
        #expect(output.contains("names      1       0               0"), "\(output)")
        for arguments in [["--time-limit"], ["--time-limit", "long", "names"], ["--time-limit", "0"]] {
            #expect(try run(arguments).status == 64)
        }
    }
}

enum CheckProgram {
    /// The program's file, which the build puts beside the tests' bundle.
    static let executable: URL =
        CommandLine.arguments.lazy.filter { $0.contains(".xctest") }.compactMap { argument in
            var folder = URL(fileURLWithPath: argument)
            while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
            let file = folder.appendingPathComponent("JSONLinesCheck")
            return FileManager.default.isExecutableFile(atPath: file.path) ? file : nil
        }.first ?? URL(fileURLWithPath: "JSONLinesCheck")
}
