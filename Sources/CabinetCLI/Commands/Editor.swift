import Foundation
import TerminalProgram

/// The person's editor.
enum Editor {
    /// Opens a file in the editor, and waits until the editor ends.
    static func edit(_ file: URL) throws(CommandError) {
        let environment = ProcessInfo.processInfo.environment
        let editor = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }.first { !$0.isEmpty } ?? "vi"
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // The variable may hold options, as in "code --wait", so the shell splits it. The path is an argument of its own.
        process.arguments = ["-c", "exec \(editor) \"$1\"", "sh", file.path]
        do {
            try process.run()
        } catch {
            throw CommandError(.failure, "The editor '\(editor.printable)' cannot be started. Set EDITOR.")
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(.failure, "The editor '\(editor.printable)' failed. Nothing was saved.")
        }
    }
}
