import Foundation
import TerminalProgram

extension Command {
    static let demo = Command(
        words: ["demo"], summary: "Play the tutorial's story, and tell it",
        details: "Without --store, it plays in a temporary folder. With it, the store must be empty."
    ) { call in
        if call.arguments.options["--store"] != nil {
            return try await Demo(folder: call.folder, console: call.console).play()
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "shopping-list-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Demo(folder: folder, console: call.console).play()
    }
}
