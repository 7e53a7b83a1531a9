import Foundation
import Testing

/// The shopping list's program, with a store of its own.
struct ShoppingList {
    let folder: TemporaryFolder
    let program: Program

    init() throws {
        folder = try TemporaryFolder()
        program = try .built("shopping-list")
    }

    /// Where the lists are.
    var store: String { folder.path("store") }

    /// Runs a command, whatever becomes of it.
    func run(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
        try await program.run(arguments + ["--store", store], in: folder, input: input)
    }

    /// Runs a command that must succeed, and returns the rows that it prints, by their columns.
    @discardableResult
    func rows(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [[String]] {
        let outcome = try await program.run(arguments + ["--store", store], in: folder, input: input)
        try #require(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        return outcome.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    /// Overwrites the store's file with something else, and returns its path.
    @discardableResult
    func damageStore() throws -> String {
        let file = try #require(SQLiteShell.files(in: store).first)
        try "This is no store.".write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// The names of the lists.
    func lists() async throws -> [String] {
        try await rows("lists").map { $0[0] }
    }

    /// The names and numbers of a list's items.
    func items(_ list: String) async throws -> [[String]] {
        try await rows("items", list).map { Array($0.prefix(2)) }
    }
}
