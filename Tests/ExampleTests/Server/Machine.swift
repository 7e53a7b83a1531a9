import Foundation
import ProgramTestSupport
import Testing

/// A machine of a user, with a home of its own, that uses a program whose store is on a server.
struct Machine {
    let program: Program
    let store: String
    let folder: TemporaryFolder

    init(_ program: String, store: String) throws {
        self.program = try .built(program)
        self.store = store
        folder = try TemporaryFolder()
    }

    /// Runs a command, with any outcome.
    func run(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
        try await program.run(arguments + ["--store", store], in: folder, input: input)
    }

    /// Runs a command that must succeed, and returns the rows that it prints, by their columns.
    @discardableResult
    func rows(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> [[String]] {
        let outcome = try await program.run(arguments + ["--store", store], in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        return outcome.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    /// The first columns of a command's output.
    func firstColumn(_ arguments: String...) async throws -> [String] {
        let outcome = try await program.run(arguments + ["--store", store], in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.lines.map { String($0.prefix { $0 != "\t" }) }
    }

    /// The files in the machine's home, by their paths in it.
    func files() -> [String] {
        let paths = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder.path(path), isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}
