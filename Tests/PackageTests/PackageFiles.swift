import Foundation
import Testing

/// The files of this package, found from the path of this file.
enum PackageFiles {
    /// The package's folder.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift file of the libraries and tools.
    static let sources: [SourceText] = swiftFiles(in: "Sources")

    /// Every Swift file of the examples.
    static let examples: [SourceText] = swiftFiles(in: "Examples")

    /// Every Swift file of the tests.
    static let tests: [SourceText] = swiftFiles(in: "Tests")

    /// A named file that does not exist.
    struct Missing: Error, CustomStringConvertible {
        let path: String

        var description: String { "\(path) does not exist, or is not UTF-8" }
    }

    /// Reads one file, named by its path from the root.
    static func text(at path: String) throws -> String {
        guard let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) else {
            throw Missing(path: path)
        }
        return text
    }

    /// The paths of all files below a folder whose names end in a suffix, in order.
    ///
    /// Folders that begin with a dot (`.build`) are left out.
    static func paths(in folder: String, suffix: String) -> [String] {
        let url = root.appendingPathComponent(folder)
        let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
        return
            paths
            .filter { $0.hasSuffix(suffix) && !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
            .map { folder.isEmpty || folder == "." ? $0 : "\(folder)/\($0)" }
            .sorted()
    }

    private static func swiftFiles(in folder: String) -> [SourceText] {
        // The code files of tutorials are copies of tests.
        let paths = paths(in: folder, suffix: ".swift").filter { !$0.contains(".docc/") }
        if paths.isEmpty {
            Issue.record("\(folder) has no Swift files, so nothing in it was checked")
        }
        return paths.map { path in
            do {
                return SourceText(path: path, text: try text(at: path))
            } catch {
                Issue.record(error, "\(path) cannot be read")
                return SourceText(path: path, text: "")
            }
        }
    }
}

/// A violation of a rule of this package.
struct Violation: CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}

/// Records an issue for each violation, at the line that breaks the rule.
func expectNone(_ violations: [Violation]) {
    for violation in violations {
        let location = SourceLocation(
            fileID: "PackageTests/\(violation.path)",
            filePath: PackageFiles.root.appendingPathComponent(violation.path).path,
            line: violation.line,
            column: 1)
        Issue.record("\(violation.description)", sourceLocation: location)
    }
}
