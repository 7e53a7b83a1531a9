package import Testing

/// A program of this package, with a store of its own.
package protocol ExampleProgram {
    var folder: TemporaryFolder { get }
    var program: Program { get }
}

extension ExampleProgram {
    /// The folder of the program's records.
    package var store: String { folder.path("store") }

    /// Runs a command, with any outcome.
    package func run(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
        try await program.run(arguments + ["--store", store], in: folder, input: input)
    }

    /// Runs a command that must succeed, and returns the rows that it prints, by their columns.
    @discardableResult
    package func rows(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [[String]] {
        let outcome = try await program.run(arguments + ["--store", store], in: folder, input: input)
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        return outcome.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }
}
