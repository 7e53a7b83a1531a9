import Foundation
import Testing

/// The documentation for authors of backends: each requirement's law, the tables of all requirements, and the guide.
@Suite("The seam: every requirement states its law")
struct RequirementTests {
    /// A function or property of a protocol, and the comment above it.
    private struct Requirement {
        let owner: String
        let name: String
        let comment: String
        var isOptional: Bool { comment.contains("Optional") }
    }

    private static let folder = "Sources/Cabinet/Storage"
    private static let guide = "Sources/Cabinet/Cabinet.docc/WritingABackend.md"
    private static let tables = "Sources/Cabinet/Cabinet.docc/BlockingAndIndexing.md"
    /// The protocols that every backend conforms to; the others are abilities.
    private static let needed: Set = ["StorageBackend", "StorageSnapshot", "StorageTransaction"]

    private static func requirements() throws -> [Requirement] {
        try PackageFiles.paths(in: folder, suffix: ".swift").flatMap { path in
            let text = try PackageFiles.text(at: path)
            return text.matches(of: #/public protocol (\w+)[^{]*\{\n(.*?)\n\}/#.dotMatchesNewlines()).flatMap { found in
                ["    func ", "    var "].flatMap { functions(in: String(found.2), prefix: $0) }.map { name, comment in
                    Requirement(owner: String(found.1), name: name, comment: comment)
                }
            }
        }
    }

    /// The cases of `StorageMutation`, named as DocC names them.
    private static func mutations() throws -> [(name: String, comment: String)] {
        let text = try PackageFiles.text(at: "\(folder)/StorageMutation.swift")
        return functions(in: text, prefix: "    case ")
    }

    /// The functions that have a default, by what they belong to.
    private static func defaults() throws -> Set<String> {
        var names: Set<String> = []
        for path in PackageFiles.paths(in: "Sources/Cabinet", suffix: ".swift") {
            let text = try PackageFiles.text(at: path)
            let extensions = text.matches(
                of: #/(?:^|\n)extension ([A-Z]\w+) \{\n(.*?)\n\}/#
                    .dotMatchesNewlines())
            for found in extensions {
                for (name, _) in functions(in: String(found.2), prefix: "    public func ") {
                    names.insert("\(found.1)/\(name)")
                }
            }
        }
        return names
    }

    /// The functions of a type's body, named as DocC names them, each with the comment above it.
    private static func functions(in body: String, prefix: String) -> [(name: String, comment: String)] {
        var result: [(String, String)] = []
        var comment = ""
        let lines = body.components(separatedBy: "\n")
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("    ///") {
                comment += line + "\n"
            } else if line.hasPrefix(prefix) {
                let signature = lines[index...].joined(separator: " ").dropFirst(prefix.count)
                let base = signature.prefix { $0.isLetter }
                var labels: [String] = []
                var depth = 0
                var parameter = ""
                scan: for character in signature.drop(while: { $0 != "(" }) {
                    switch character {
                    case "(", "[": depth += 1
                    case ")", "]": depth -= 1
                    default: break
                    }
                    if depth == 0 || (depth == 1 && character == ",") {
                        if let label = parameter.split(whereSeparator: { " :(".contains($0) }).first {
                            // The value of a case may have no label, and begins with its type.
                            labels.append(label.first?.isLowercase == true || label == "_" ? "\(label):" : "_:")
                        }
                        parameter = ""
                        if depth == 0 { break scan }
                    } else {
                        parameter.append(character)
                    }
                }
                let isProperty = prefix.hasSuffix("var ")
                result.append((isProperty ? String(base) : "\(base)(\(labels.joined()))", comment))
                comment = ""
            } else if !line.hasPrefix("    @") {
                comment = ""
            }
        }
        return result
    }

    @Test("Each states its law")
    func laws() throws {
        let requirements = try Self.requirements()
        #expect(requirements.count >= 30)
        for requirement in requirements {
            #expect(requirement.comment.contains("/// Law:"), "\(requirement.owner)/\(requirement.name)")
        }
        let mutations = try Self.mutations()
        #expect(mutations.count == 10)
        for mutation in mutations { #expect(mutation.comment.contains("/// Law:"), "\(mutation.name)") }
    }

    @Test("Each that has a default says what happens without it, and no other does")
    func optionality() throws {
        let defaults = try Self.defaults()
        for requirement in try Self.requirements() {
            let name = "\(requirement.owner)/\(requirement.name)"
            #expect(requirement.isOptional == defaults.contains(name), "\(name)")
            if Self.needed.contains(requirement.owner) { #expect(!requirement.isOptional, "\(name)") }
        }
    }

    @Test("The guide's tables have every requirement and every mutation, and say how many there are")
    func tables() throws {
        let page = try PackageFiles.text(at: Self.tables)
        let rows = page.components(separatedBy: "\n").filter { $0.hasPrefix("| ``") }
        let requirements = try Self.requirements().map { ($0.owner, "``\($0.owner)/\($0.name)``") }
        let mutations = try Self.mutations().map { "``StorageMutation/\($0.name)``" }
        for name in requirements.map(\.1) + mutations {
            #expect(rows.contains { $0.contains(name) }, "\(name)")
        }
        #expect(page.contains("\(requirements.count { Self.needed.contains($0.0) }) requirements are needed"))
        #expect(page.contains("\(mutations.count) mutations"))
    }

    @Test(
        "The guide shows every file of its example, and no Swift code but that and the manifest; it has at most 400 lines"
    )
    func files() throws {
        let page = try PackageFiles.text(at: Self.guide)
        for path in PackageFiles.paths(in: "Examples/DictionaryBackend", suffix: ".swift") {
            #expect(page.contains("<!-- source: \(path) -->"), "\(path)")
        }
        let typed = MarkdownBlock.blocks(in: page).filter { $0.language == "swift" && $0.origin == nil }
        #expect(typed.map { $0.lines.first } == ["// swift-tools-version: 6.1"])
        #expect(page.split(separator: "\n", omittingEmptySubsequences: false).count <= 401)
    }

    @Test("The example that keeps records in a file has at most 400 lines of code")
    func length() throws {
        let lines = PackageFiles.examples.filter { $0.path.hasPrefix("Examples/JSONLinesBackend/") }
            .flatMap(\.linesWithoutComments).filter { !$0.allSatisfy(\.isWhitespace) }
        #expect(!lines.isEmpty)
        #expect(lines.count <= 400)
    }
}
