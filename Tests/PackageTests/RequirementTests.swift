import Foundation
import Testing

/// The documentation for a backend's author: each requirement's law, each mutation's, and the guide's tables of them
/// all.
@Suite("The seam: every requirement states its law")
struct RequirementTests {
    private static let folder = "Sources/Cabinet/Storage"
    private static let needed: Set = ["StorageBackend", "StorageSnapshot", "StorageTransaction"]

    /// The requirements of the protocols in the folder.
    private static func requirements() throws -> [Requirement] { try Requirement.all(in: folder) }

    /// The cases of the mutations.
    private static func mutations() throws -> [Requirement] {
        let text = try PackageFiles.text(at: "\(folder)/StorageMutation.swift")
        let found = try #require(
            text.firstMatch(of: #/public enum StorageMutation[^{]*\{\n(.*?)\n\}/#.dotMatchesNewlines()))
        return Requirement.members(of: String(found.1), owner: "StorageMutation")
    }

    @Test("Each states its law")
    func laws() throws {
        let all = try Self.requirements() + Self.mutations()
        #expect(all.count >= 30)
        for requirement in all {
            #expect(requirement.comment.contains("/// Law:"), "\(requirement.owner)/\(requirement.name)")
        }
    }

    // The eleventh mutation renames: nothing else keeps the values in constant time. The twelfth removes: a store with tables and
    // columns would never drop those of a slip, and a field could not become one of another type.
    @Test("A backend's author writes at most 12 requirements and 12 mutations")
    func counts() throws {
        let all = try Self.requirements()
        #expect(Set(all.map(\.owner)).isSuperset(of: Self.needed))
        let needed = all.filter { Self.needed.contains($0.owner) }
        #expect((10...12).contains(needed.count), "\(needed.map { "\($0.owner)/\($0.name)" })")
        #expect((1...12).contains(try Self.mutations().count))
    }

    @Test("No requirement has a default, which a wrapper could forget to pass on")
    func defaults() throws {
        let all = try Self.requirements()
        let names = Set(all.map { "\($0.owner)/\($0.name)" })
        #expect(names.isSuperset(of: ["StorageSnapshot/abilities", "StorageTransaction/apply(_:)"]))
        let additions = try Requirement.additions(to: Set(all.map(\.owner)))
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
