import Foundation
import Testing

/// The documentation for a backend's author: each requirement's law, each mutation's, and the guide's tables of them
/// all.
@Suite("The seam: every requirement states its law")
struct RequirementTests {
    /// A function or property of a protocol, or a case of an enum, and the comment above it.
    private struct Requirement {
        let owner: String
        let name: String
        let comment: String
    }

    private static let folder = "Sources/Cabinet/Storage"
    private static let needed: Set = ["StorageBackend", "StorageSnapshot", "StorageTransaction"]

    /// The requirements of the protocols in the folder.
    private static func requirements() throws -> [Requirement] {
        try PackageFiles.paths(in: folder, suffix: ".swift").flatMap { path in
            let text = try PackageFiles.text(at: path)
            return text.matches(of: #/(?:^|\n)public protocol (\w+)[^{]*\{\n(.*?)\n\}/#.dotMatchesNewlines())
                .flatMap { found in members(of: String(found.2), owner: String(found.1)) }
        }
    }

    /// The cases of the mutations.
    private static func mutations() throws -> [Requirement] {
        let text = try PackageFiles.text(at: "\(folder)/StorageMutation.swift")
        let found = try #require(
            text.firstMatch(of: #/public enum StorageMutation[^{]*\{\n(.*?)\n\}/#.dotMatchesNewlines()))
        return members(of: String(found.1), owner: "StorageMutation")
    }

    /// The members that extensions of protocols add, with any access level.
    private static func additions(to protocols: Set<String>) throws -> [Requirement] {
        try PackageFiles.paths(in: "Sources/Cabinet", suffix: ".swift").flatMap { path in
            try PackageFiles.text(at: path)
                .matches(of: #/(?:^|\n)(?:\w+ )?extension (\w+)[^{\n]*\{\n(.*?)\n\}/#.dotMatchesNewlines())
                .filter { protocols.contains(String($0.1)) }
                .flatMap { found in members(of: String(found.2), owner: String(found.1)) }
        }
    }

    /// The functions, properties and cases of a type's body, named as DocC names them, each with the comment above it.
    private static func members(of body: String, owner: String) -> [Requirement] {
        var result: [Requirement] = []
        var comment = ""
        let lines = body.components(separatedBy: "\n")
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("    ///") {
                comment += line + "\n"
                continue
            }
            if let found = line.prefixMatch(of: #/    (?:public )?(func|var|case) (\w+)/#) {
                let rest = lines[index...].joined(separator: " ").dropFirst(
                    line.distance(from: line.startIndex, to: found.range.upperBound))
                let labels = found.1 == "func" ? labels(of: rest) : ""
                result.append(Requirement(owner: owner, name: found.2 + labels, comment: comment))
            }
            if !line.hasPrefix("    @") { comment = "" }
        }
        return result
    }

    /// The labels of the parameters that a text begins with: `(_:limit:)`.
    private static func labels(of text: some StringProtocol) -> String {
        var labels = ""
        var depth = 0
        var parameter = ""
        for character in text.drop(while: { $0 != "(" }) {
            if "([".contains(character) { depth += 1 }
            if ")]".contains(character) { depth -= 1 }
            guard depth == 0 || (depth == 1 && character == ",") else {
                parameter.append(character)
                continue
            }
            if let label = parameter.split(whereSeparator: { " :(".contains($0) }).first { labels += "\(label):" }
            parameter = ""
            if depth == 0 { break }
        }
        return "(\(labels))"
    }

    @Test("Each states its law")
    func laws() throws {
        let all = try Self.requirements() + Self.mutations()
        #expect(all.count >= 30)
        for requirement in all {
            #expect(requirement.comment.contains("/// Law:"), "\(requirement.owner)/\(requirement.name)")
        }
    }

    @Test("A backend's author writes at most 12 requirements and 10 mutations")
    func counts() throws {
        let all = try Self.requirements()
        #expect(Set(all.map(\.owner)).isSuperset(of: Self.needed))
        let needed = all.filter { Self.needed.contains($0.owner) }
        #expect((10...12).contains(needed.count), "\(needed.map { "\($0.owner)/\($0.name)" })")
        #expect((1...10).contains(try Self.mutations().count))
    }

    @Test("No requirement has a default, which a wrapper could forget to pass on")
    func defaults() throws {
        let all = try Self.requirements()
        let names = Set(all.map { "\($0.owner)/\($0.name)" })
        #expect(names.isSuperset(of: ["StorageSnapshot/abilities", "StorageTransaction/apply(_:)"]))
        let additions = try Self.additions(to: Set(all.map(\.owner)))
        // The convenience functions are found, so that a default implementation would be.
        #expect(additions.contains { $0.name == "records(for:keys:)" })
        #expect(additions.map { "\($0.owner)/\($0.name)" }.filter(names.contains) == [])
    }

    @Test("The guide's tables have each")
    func tables() throws {
        let page = try PackageFiles.text(at: "Sources/Cabinet/Cabinet.docc/BlockingAndIndexing.md")
        let rows = page.components(separatedBy: "\n").filter { $0.hasPrefix("| ``") }
        for requirement in try Self.requirements() + Self.mutations() {
            let name = requirement.owner + "/" + requirement.name.prefix { $0 != "(" }
            #expect(rows.contains { $0.contains("``\(name)") }, "\(name)")
        }
        let needed = try Self.requirements().filter { Self.needed.contains($0.owner) }.count
        #expect(page.contains("\(needed) requirements"))
        #expect(page.contains("\(try Self.mutations().count) mutations"))
    }
}
