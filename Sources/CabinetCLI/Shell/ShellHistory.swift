import Foundation
import TerminalProgram

/// The lines that a person has typed, in a file of the user.
struct ShellHistory {
    private static let limit = 1000
    private let file: URL
    private(set) var lines: [String]

    /// Reads the history; a missing file is an empty one.
    init(in folder: URL = StoreFolder.cache(for: "cabinet")) {
        file = folder.appending(path: "history")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        lines = text.split(separator: "\n").suffix(Self.limit).map(String.init)
    }

    /// Adds a line, and writes the file.
    ///
    /// A line that begins with a blank is left out, as in other shells, and so is one with a URL, which may hold a password.
    mutating func add(_ line: String) {
        guard !line.isEmpty, line.first != " ", !line.contains("://"), line != lines.last else { return }
        lines = Array((lines + [line]).suffix(Self.limit))
        let folder = file.deletingLastPathComponent()
        // Without a history, the shell is still of use.
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file, options: .atomic)
        try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
}
