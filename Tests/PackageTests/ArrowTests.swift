import Testing

@Suite("Arrows: imports point one way")
struct ArrowTests {
    private let products: Set = [
        "Cabinet", "CabinetConformance", "CabinetPostgres", "CabinetSQLite", "CabinetTesting", "CabinetTools",
    ]

    @Test("Every import of this package points the right way")
    func package() throws {
        let products = ArrowCheck.libraryProducts(inManifest: try PackageFiles.text(at: "Package.swift"))
        #expect(products.contains("Cabinet"))
        for file in PackageFiles.sources + PackageFiles.examples {
            expectNone(ArrowCheck.violations(in: file, products: products))
        }
    }

    @Test("Every import of a test is a dependency of its target, so that a fresh clone compiles")
    func dependencies() throws {
        let dependencies = ArrowCheck.dependencies(inManifest: try PackageFiles.text(at: "Package.swift"))
        #expect(dependencies["CabinetSQLiteTests"]?.contains("StorageTestSupport") == true)
        for file in PackageFiles.tests { expectNone(ArrowCheck.undeclared(in: file, dependencies: dependencies)) }
    }

    @Test("An import without a dependency is found, in a test and in a helper of tests")
    func detectsUndeclared() {
        let manifest = """
            let more: [Target.Dependency] = ["C"]
            .target(name: "A"), .target(name: "B", dependencies: ["A"]), .systemLibrary(name: "C"), .target(name: "D"),
            .testTarget(
                name: "BTests", dependencies: ["B"] + more),
            .target(name: "Helper", path: "Tests/Support/Helper"),
            """
        let dependencies = ArrowCheck.dependencies(inManifest: manifest)
        func lines(_ path: String) -> [Int] {
            let file = SourceText(path: path, text: "import A\nimport B\nimport C\nimport D\nimport Foundation\n")
            return ArrowCheck.undeclared(in: file, dependencies: dependencies).map(\.line)
        }
        #expect(lines("Tests/BTests/Folder/Test.swift") == [4])
        #expect(lines("Tests/Support/Helper/Helper.swift") == [1, 2, 4])
    }

    @Test("The compiler checks the arrows between all folders of the core")
    func folders() throws {
        let script = try PackageFiles.text(at: "Scripts/check-layers.sh")
        let layers = try #require(script.firstMatch(of: #/(?m)^layers="(.*)"$/#)).1.split { " ,".contains($0) }
        let core = PackageFiles.sources.map { $0.path.split(separator: "/") }
            .filter { $0[1] == "Cabinet" && $0[2] != "Cabinet.docc" }.map { $0[2] }
        #expect(Set(layers).union(["Typed"]) == Set(core))
    }

    @Test("Cabinet contains no SQL")
    func noSQL() {
        for file in PackageFiles.sources where file.path.hasPrefix("Sources/Cabinet/") {
            expectNone(ArrowCheck.sqlWords(in: file))
        }
    }

    @Test(
        "A wrong import is found",
        arguments: [
            ("Sources/Cabinet/Records/A.swift", "import FoundationNetworking"),
            ("Sources/Cabinet/Records/A.swift", "public import CabinetSQLite"),
            ("Sources/CabinetTesting/A.swift", "@_exported import Glibc"),
            ("Sources/CabinetTesting/A.swift", "import struct Glibc.stat"),
            ("Sources/CabinetSQLite/A.swift", "import CPostgreSQL"),
            ("Sources/CabinetSQLite/A.swift", "internal import CabinetPostgres"),
            ("Sources/CabinetTesting/A.swift", "import Testing"),
            ("Sources/CabinetTesting/A.swift", "import XCTest"),
            ("Sources/CabinetTesting/A.swift", "import CabinetSQLite"),
            ("Sources/CabinetTesting/A.swift", "import CabinetConformance"),
            ("Sources/CabinetTesting/A.swift", "import CabinetTools"),
            ("Sources/Cabinet/Records/A.swift", "import CabinetTools"),
            ("Sources/CabinetSQLite/A.swift", "import CabinetTools"),
            ("Sources/CabinetTools/A.swift", "import CabinetSQLite"),
            ("Sources/CabinetTools/A.swift", "import CabinetConformance"),
            ("Sources/CabinetTools/A.swift", "@testable import Cabinet"),
            ("Sources/CabinetConformance/A.swift", "import Testing"),
            ("Sources/CabinetConformance/A.swift", "import XCTest"),
            ("Sources/CabinetConformance/A.swift", "import CabinetSQLite"),
            ("Sources/CabinetSQLite/A.swift", "@testable import Cabinet"),
            ("Sources/CabinetServer/A.swift", "import CabinetListener"),
            ("Sources/CabinetServer/A.swift", "import CMicroHTTPD"),
            ("Sources/Cabinet/Records/A.swift", "import CabinetServer"),
            ("Sources/CabinetListener/A.swift", "import CabinetSQLite"),
            ("Sources/Nobody/A.swift", "import Foundation"),
            ("Examples/Notes/A.swift", "import CSQLite"),
            ("Examples/Notes/A.swift", "import CPostgreSQL"),
            ("Sources/TerminalProgram/A.swift", "import Cabinet"),
            ("Sources/CabinetTesting/A.swift", "import TerminalProgram"),
        ])
    func detects(path: String, line: String) {
        let file = SourceText(path: path, text: line + "\n")
        #expect(ArrowCheck.violations(in: file, products: products).map(\.line) == [1])
    }

    @Test(
        "A right import passes",
        arguments: [
            ("Sources/Cabinet/Records/A.swift", "public import Foundation\nprivate import Synchronization"),
            (
                "Sources/CabinetSQLite/A.swift",
                "public import Cabinet\nimport CSQLite\n#if canImport(Glibc)\nimport Glibc\n#endif"
            ),
            ("Sources/CabinetTesting/A.swift", "import Cabinet\nimport Foundation // import Testing"),
            (
                "Sources/CabinetConformance/A.swift",
                "import Cabinet\nimport CabinetTesting\nimport CabinetTools\nimport Foundation"
            ),
            ("Sources/CabinetTools/A.swift", "public import Cabinet\nimport Foundation\nimport Synchronization"),
            (
                "Examples/Notes/A.swift",
                "import Cabinet\nimport CabinetPostgres\nimport CabinetSQLite\nimport Foundation\nimport TerminalProgram"
            ),
            ("Sources/TerminalProgram/A.swift", "import Foundation\nimport Synchronization"),
            ("Sources/Cabinet/Records/A.swift", "let text = \"\"\"\n    import Testing\n    \"\"\""),
        ])
    func accepts(path: String, text: String) {
        #expect(ArrowCheck.violations(in: SourceText(path: path, text: text), products: products) == [])
    }

    @Test(
        "A word of SQL is found in code and in strings",
        arguments: [
            #"let text = "SELECT name FROM Items""#,
            #"run("INSERT INTO Items VALUES (1)")"#,
            "func sqlText() -> String",
            "case sqlite",
            "let isPostgres = true",
        ])
    func detectsSQL(line: String) {
        #expect(ArrowCheck.sqlWords(in: SourceText(path: "A.swift", text: line)).map(\.line) == [1])
    }

    @Test(
        "A comment may name SQLite, and a word may contain a word",
        arguments: [
            "/// SQLite keeps it in a table: SELECT name.",
            "let selected = true // ORDER BY",
            #"let text = "BETWEEN""#,
        ])
    func acceptsComments(line: String) {
        #expect(ArrowCheck.sqlWords(in: SourceText(path: "A.swift", text: line)) == [])
    }

    @Test("Products are read from the manifest")
    func readsProducts() {
        let manifest = """
            .library(name: "A", targets: ["A"]), .library(
                name: "B", targets: ["C"]),
            .executable(name: "d", targets: ["D"])
            """
        #expect(ArrowCheck.libraryProducts(inManifest: manifest) == ["A", "B"])
    }
}
