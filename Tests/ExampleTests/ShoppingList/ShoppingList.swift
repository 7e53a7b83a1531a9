import Foundation
import ProgramTestSupport
import Testing

/// The shopping list's program, with a store of its own.
struct ShoppingList: ExampleProgram {
    let folder: TemporaryFolder
    let program: Program

    init() throws {
        folder = try TemporaryFolder()
        program = try .built("shopping-list")
    }

    /// Overwrites the store's file, and returns its path.
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
