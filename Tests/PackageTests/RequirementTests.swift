import Foundation
import Testing

/// What a backend's author reads: each requirement's law, what happens without it, and the table of them all.
@Suite("The seam: every requirement says what it demands")
struct RequirementTests {
    /// A function of a protocol, and the comment above it.
    private struct Requirement {
        let owner: String
        let name: String
        let comment: String
        var isOptional: Bool { comment.contains("Optional") }
    }

    private static let folder = "Sources/Cabinet/Storage"

    private static func requirements() throws -> [Requirement] {
        try ["StorageBackend", "StorageSnapshot", "StorageTransaction", "AssetUpload"].flatMap { file in
            let text = try PackageFiles.text(at: "\(folder)/\(file).swift")
            return text.matches(of: #/public protocol (\w+)[^{]*\{\n(.*?)\n\}/#.dotMatchesNewlines()).flatMap { found in
                functions(in: String(found.2), prefix: "    func ").map { name, comment in
                    Requirement(owner: String(found.1), name: name, comment: comment)
                }
            }
        }
    }

    /// The functions that have a default, by what they belong to.
    private static func defaults() throws -> Set<String> {
        var names: Set<String> = []
        for path in PackageFiles.paths(in: "Sources/Cabinet", suffix: ".swift") {
            let text = try PackageFiles.text(at: path)
            let extensions = text.matches(
                of: #/(?:^|\n)extension (Storage(?:Backend|Snapshot|Transaction)|AssetUpload) \{\n(.*?)\n\}/#
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
                            labels.append("\(label):")
                        }
                        parameter = ""
                        if depth == 0 { break scan }
                    } else {
                        parameter.append(character)
                    }
                }
                result.append(("\(base)(\(labels.joined()))", comment))
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
        #expect(requirements.count >= 40)
        for requirement in requirements {
            #expect(requirement.comment.contains("/// Law:"), "\(requirement.owner)/\(requirement.name)")
        }
    }

    @Test("Each that has a default says what happens without it, and no other does")
    func optionality() throws {
        let defaults = try Self.defaults()
        for requirement in try Self.requirements() {
            let name = "\(requirement.owner)/\(requirement.name)"
            #expect(requirement.isOptional == defaults.contains(name), "\(name)")
        }
    }

    @Test("The guide's tables have each, needed or not")
    func tables() throws {
        let page = try PackageFiles.text(at: "Sources/Cabinet/Cabinet.docc/WritingABackend.md")
        let rows = page.components(separatedBy: "\n").filter { $0.hasPrefix("| ``Storage") }
        for requirement in try Self.requirements() where requirement.owner != "AssetUpload" {
            let name = "``\(requirement.owner)/\(requirement.name)``"
            let row = rows.first { $0.contains(name) }
            #expect(row?.contains("| needed |") == !requirement.isOptional, "\(name)")
        }
        let needed = try Self.requirements().filter { $0.owner != "AssetUpload" && !$0.isOptional }.count
        #expect(page.contains("\(needed) requirements are needed"))
    }

    @Test("The guide shows every file of its example, whole")
    func files() throws {
        let page = try PackageFiles.text(at: "Sources/Cabinet/Cabinet.docc/WritingABackend.md")
        for path in PackageFiles.paths(in: "Examples/JSONLinesBackend", suffix: ".swift") {
            #expect(page.contains("<!-- source: \(path) -->"), "\(path)")
        }
    }
}
