import Testing

@Suite("Package access: Cabinet's doors are listed")
struct PackageAccessTests {
    private static let table = """
        Text with `words`.

        | Folder of `Sources/Cabinet` | For | Doors |
        |---|---|---|
        | `Container` | CabinetTools | `backend`: a store |
        | `Rules` | CabinetTools | `AssetRule` |
        | | the SQL backends | `assetKeys`, and `names` |

        | Other | `Errors` | `code` |
        """

    @Test("Every `package` declaration of Cabinet is in CONTRIBUTING's table, and every folder of the table has one")
    func package() throws {
        let check = PackageAccessCheck(contributing: try PackageFiles.text(at: "CONTRIBUTING.md"))
        let files = PackageFiles.sources.filter { $0.path.hasPrefix("Sources/Cabinet/") }
        #expect(check.doors.count > 3)
        for file in files { expectNone(check.violations(in: file)) }
        #expect(check.emptyFolders(files) == [])
    }

    @Test("The table is read")
    func reads() {
        let check = PackageAccessCheck(contributing: Self.table)
        #expect(check.doors == ["Container": ["backend"], "Rules": ["AssetRule", "assetKeys", "names"]])
    }

    @Test(
        "A declaration that is not listed is found",
        arguments: [
            ("Errors/A.swift", "package let backend = 1"),
            ("Errors/A.swift", "    package init() {}"),
            ("Container/A.swift", "package enum AssetRule {}"),
            ("Rules/Deep/A.swift", "package enum AssetRule {}"),
            ("Rules/A.swift", "    package static func removeUnused() {}"),
            ("Rules/A.swift", "    @TaskLocal package static var current: Int?"),
            ("Rules/A.swift", "package final class Meter {}"),
            ("Rules/A.swift", "package mutating func update() {}"),
        ])
    func detects(path: String, line: String) {
        let check = PackageAccessCheck(contributing: Self.table)
        let file = SourceText(path: "Sources/Cabinet/\(path)", text: line + "\n")
        #expect(check.violations(in: file).map(\.line) == [1])
    }

    @Test(
        "A declaration that is listed, or not a declaration, passes",
        arguments: [
            ("Container/A.swift", "    package let backend: Int"),
            ("Rules/A.swift", "package enum AssetRule {\n    package init() {}\n}"),
            ("Rules/A.swift", "    package var assetKeys: [Int] { [] }"),
            ("Errors/A.swift", "package import Foundation"),
            ("Errors/A.swift", "/// package let a = 1\nlet text = \"package let a\""),
            ("Errors/A.swift", "let packages = 1"),
        ])
    func accepts(path: String, text: String) {
        let check = PackageAccessCheck(contributing: Self.table)
        #expect(check.violations(in: SourceText(path: "Sources/Cabinet/\(path)", text: text)) == [])
    }

    @Test("A folder that is listed without reason is found")
    func detectsEmpty() {
        let check = PackageAccessCheck(contributing: Self.table)
        let file = SourceText(path: "Sources/Cabinet/Rules/A.swift", text: "package enum AssetRule {}")
        #expect(check.emptyFolders([file]) == ["Container"])
    }
}
