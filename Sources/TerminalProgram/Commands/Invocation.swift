package import Foundation

/// One call of a command: its arguments, and its console.
package struct Invocation: Sendable {
    /// The program whose command it is.
    package let program: Program

    /// The command itself.
    package let command: Command

    package let arguments: Arguments

    package let console: Console

    /// The value of a parameter, by position.
    package func parameter(_ index: Int) throws(CommandError) -> String {
        guard arguments.parameters.indices.contains(index) else { throw .usage("An argument is missing.") }
        return arguments.parameters[index]
    }

    /// The requested store.
    package var store: StoreLocation {
        get throws(CommandError) {
            guard let text = arguments.options[Option.store] else {
                return .folder(StoreFolder.default(for: program.name))
            }
            return try StoreLocation(text)
        }
    }

    /// The server that the requested store mirrors; `nil` for none.
    package var mirroredServer: RemoteURL? {
        get throws(CommandError) {
            guard let text = arguments.options[Option.mirrorName] else { return nil }
            guard let server = try RemoteURL(text) else {
                throw .usage("A store mirrors a server of Cabinet: --mirror https://HOST, or http://localhost:PORT.")
            }
            return server
        }
    }

    /// Runs a closure with the requested store, or with one in a temporary folder.
    ///
    /// - Parameter play: A closure that receives the store, and a folder for files: the store's own, or a temporary
    ///   one.
    package func withStoreForDemo(_ play: (StoreLocation, URL) async throws -> Void) async throws {
        let isGiven = arguments.options[Option.store] != nil
        if isGiven, case .folder(let folder) = try store { return try await play(.folder(folder), folder) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(program.name)-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await play(isGiven ? store : .folder(folder), folder)
    }
}
