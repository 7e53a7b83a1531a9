package import Foundation

/// One call of a command: what it was given, and where it writes.
package struct Invocation: Sendable {
    /// The program whose command it is.
    package let program: Program

    package let arguments: Arguments

    package let console: Console

    /// The value of a parameter, by position.
    package func parameter(_ index: Int) throws(CommandError) -> String {
        guard arguments.parameters.indices.contains(index) else { throw .usage("An argument is missing.") }
        return arguments.parameters[index]
    }

    /// The folder that was asked for.
    package var folder: URL {
        arguments.folder(Option.store) ?? StoreFolder.default(for: program.name)
    }

    /// Does something with the store's folder that was asked for, or else with a temporary one.
    package func withFolderForDemo(_ play: (URL) async throws -> Void) async throws {
        if let folder = arguments.folder(Option.store) { return try await play(folder) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(program.name)-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await play(folder)
    }
}
