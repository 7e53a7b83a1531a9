import Foundation
import ProgramTestSupport
import Testing

/// The notes' program, with a store of its own.
struct NotesProgram: ExampleProgram {
    let folder: TemporaryFolder
    let program: Program

    init() throws {
        folder = try TemporaryFolder()
        program = try .built("notes")
    }

    /// Creates a note, and returns its record name.
    @discardableResult
    func add(_ title: String, text: String = "Text", options: String...) async throws -> String {
        let arguments = ["new", "--title", title, "--text", text, "--store", store] + options
        let outcome = try await program.run(arguments, in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try #require(outcome.lines.first?.split(separator: "\t").last.map(String.init))
    }

    /// The titles of the notes.
    func titles() async throws -> [String] {
        try await rows("list").map { $0[0] }
    }

    /// Writes a file into the folder, and returns its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: folder.url.appending(path: name))
        return folder.path(name)
    }
}
