import Foundation

/// A folder of a test's own, removed with the last reference to it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of something in the folder.
    func path(_ name: String) -> String {
        url.appending(path: name).path
    }

    /// Writes a file into the folder, and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try text.write(to: url.appending(path: name), atomically: true, encoding: .utf8)
        return path(name)
    }
}
