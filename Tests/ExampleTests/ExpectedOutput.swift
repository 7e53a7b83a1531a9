import Foundation

/// The expected output of programs, in the files next to these tests.
enum ExpectedOutput {
    static func text(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: folder.appending(path: "Expected/\(name)"), encoding: .utf8)
    }
}
