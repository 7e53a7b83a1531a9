import Foundation
import ProgramTestSupport
import Testing

/// The dashboard's program, with a store of its own.
struct CabinetProgram: ExampleProgram {
    let folder: TemporaryFolder
    let program: Program

    init() throws {
        folder = try TemporaryFolder()
        program = try .built("cabinet")
    }

    /// Runs a command that must succeed, and returns its output.
    @discardableResult
    func output(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let outcome = try await program.run(arguments + ["--store", store], in: folder, input: input)
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        return outcome.output
    }

    /// Runs a command that must fail, and returns its errors.
    func failure(
        _ status: Int32, _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let outcome = try await program.run(arguments + ["--store", store], in: folder, input: input)
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
        return outcome.errors
    }

    /// Starts a server of the store.
    func serving(_ arguments: String...) async throws -> ServingProgram {
        try await ServingProgram(store: store, arguments, in: folder)
    }

    /// Shell commands that wait until a running import has saved records.
    func waitForRecords(of type: String) -> String {
        let count = "'\(program.executable.path)' count \(type) --store '\(store)' 2> /dev/null"
        return "while case \"$(\(count))\" in ''|0) true;; *) false;; esac; do sleep 0.01; done"
    }

    /// Saves three coins.
    func saveCoins() async throws {
        try await output(
            "save",
            input: """
                {"recordName":"penny","recordType":"Coin","fields":{"name":"Penny","year":1967,"price":2.5,"tags":["old","gb"]}}
                {"recordName":"crown","recordType":"Coin","fields":{"name":"Crown, \\"silver\\"","year":1890}}
                {"recordName":"euro","recordType":"Coin","fields":{"name":"Euro","year":2002,"old":{"reference":"crown"}}}
                """)
    }
}
