import Foundation
import Testing

/// The article "Members of CloudKit" is right about what works: each of its members is used in a compiled file.
@Suite("Members of CloudKit")
struct MemberTests {
    private func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The members that the compiled files use.
    private func used() throws -> [String] {
        let folder = "Tests/CabinetCloudKitTests"
        let code = try ["", "+Operations", "+Sharing"].map { try text("\(folder)/MemberUses\($0).swift") }.joined()
        return code.matches(of: #/\/\/ member: (?<name>.+)/#).map { String($0.name) }
    }

    /// The rows of the table: member and state.
    private func rows() throws -> [(member: String, state: String)] {
        let article = try text("Sources/CabinetCloudKit/CabinetCloudKit.docc/MembersOfCloudKit.md")
        return article.matches(of: #/\n\| `(?<member>[^|]+)` \| (?<state>\w+) \|/#).map {
            (String($0.member), String($0.state))
        }
    }

    @Test("the table's working members are those that compiled code uses")
    func table() throws {
        let working = try rows().filter { $0.state == "works" }.map(\.member)
        let used = try used()
        #expect(Set(working).subtracting(used).sorted() == [])
        #expect(Set(used).subtracting(working).sorted() == [])
        #expect(working.count == Set(working).count && used.count == Set(used).count)
        #expect(working.count >= 150)
    }

    @Test("every row has a known state")
    func states() throws {
        #expect(Set(try rows().map(\.state)) == ["works", "ignored", "refused", "missing"])
    }
}
