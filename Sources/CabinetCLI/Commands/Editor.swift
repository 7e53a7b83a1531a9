import Cabinet
import Dispatch
import Foundation
import Synchronization
import TerminalProgram

/// The person's editor.
enum Editor {
    /// The folder of the file that is being edited, which no other user can open.
    private static let folder = Mutex<TemporaryDirectory?>(nil)

    /// Removes the file when the process ends otherwise than by returning from `main`.
    private static let removal: Void = { _ = atexit { Editor.folder.withLock { $0?.remove() } } }()

    /// Shows a text in the editor, waits until the editor ends, and returns the changed text.
    static func edit(_ text: String) throws -> String {
        let new = try TemporaryDirectory(for: "edits")
        _ = removal
        folder.withLock { $0 = new }
        defer {
            folder.withLock { $0 = nil }
            new.remove()
        }
        let file = new.url.appending(path: "record.json")
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CommandError(.failure, "The file \(file.path) cannot be written.") }
        try open(file)
        return try Invocation.text(at: file.path)
    }

    private static func open(_ file: URL) throws(CommandError) {
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
        // After the start, because the editor would inherit what is done about the signals.
        let signals = [SIGTERM, SIGHUP].map(endingProcess)
        process.waitUntilExit()
        for signal in signals { signal.cancel() }
        guard process.terminationStatus == 0 else {
            throw CommandError(.failure, "The editor '\(editor.printable)' failed. Nothing was saved.")
        }
    }

    /// Makes a signal end the process with its own removal of files, until the source is cancelled.
    private static func endingProcess(_ number: Int32) -> any DispatchSourceSignal {
        #if canImport(Darwin)
        signal(number, SIG_IGN)
        #endif
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { exit(128 + number) }
        source.activate()
        return source
    }
}
