import Foundation
import Testing

@Suite("Layout: the documents list the products and folders of the package")
struct LayoutTests {
    private let contributing: LayoutCheck

    init() throws {
        contributing = LayoutCheck(contributing: try PackageFiles.text(at: "CONTRIBUTING.md"))
    }

    @Test("README's table of products lists those of Package.swift, in the same order")
    func readme() throws {
        let products = LayoutCheck.products(inManifest: try PackageFiles.text(at: "Package.swift"))
        #expect(products.contains("Cabinet"))
        #expect(LayoutCheck.products(inReadme: try PackageFiles.text(at: "README.md")) == products)
    }

    @Test("CONTRIBUTING says which modules are not products")
    func modules() throws {
        let products = ArrowCheck.libraryProducts(inManifest: try PackageFiles.text(at: "Package.swift"))
        #expect(products.contains("Cabinet"))
        expectNone(contributing.violations(products: products))
    }

    @Test("CONTRIBUTING lists the folders of the package, its modules, and the core's folders, and they exist")
    func folders() throws {
        let required = try ["", "Sources/", "Sources/Cabinet/"].flatMap { parent in
            try Self.folders(in: parent).filter { !$0.hasSuffix(".docc") && $0 != "Sources" }.map { parent + $0 }
        }
        let existing = contributing.paths.map(\.path).filter(Self.isFolder)
        #expect(required.contains("Sources/Cabinet/Rules"))
        expectNone(contributing.violations(existing: Set(existing), required: Set(required)))
    }

    /// Folders of tests that have no counterpart among the sources.
    private static let onlyTests: Set = ["Filters/Guide", "Filters/Parser/Corpus"]

    @Test("The folders of CabinetTests are those of Cabinet")
    func tests() {
        let paths = PackageFiles.paths(in: "Tests/CabinetTests", suffix: ".swift")
        let folders = Set(paths.map { $0.split(separator: "/").dropFirst(2).dropLast().joined(separator: "/") })
        #expect(folders.contains("Rules/Saving"))
        let unknown = folders.subtracting(Self.onlyTests).filter { !Self.isFolder("Sources/Cabinet/\($0)") }
        #expect(unknown == [])
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        let url = PackageFiles.root.appendingPathComponent(path)
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func folders(in parent: String) throws -> [String] {
        let url = PackageFiles.root.appendingPathComponent(parent)
        return try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { !$0.hasPrefix(".") && isFolder(parent + $0) }
    }

    private static let sample = LayoutCheck(
        contributing: """
            ## Layout

            ```
            Sources/Main/    the core
                Rules/       the rules;
                             Text/ folds text
            Sources/Shared/  no product
            Tests/           mirrors Sources
            ```
            """)

    @Test("Folders, nested folders and subfolders in descriptions are read")
    func reads() {
        let paths = ["Sources/Main", "Sources/Main/Rules", "Sources/Main/Rules/Text", "Sources/Shared", "Tests"]
        #expect(Self.sample.paths.map(\.path) == paths)
        #expect(Self.sample.paths.map(\.line) == [4, 5, 5, 7, 8])
    }

    @Test("A listed folder that does not exist is found, and an existing one that is not listed")
    func detectsFolders() {
        let existing: Set = ["Sources/Main", "Sources/Main/Rules", "Sources/Shared", "Tests"]
        #expect(Self.sample.violations(existing: existing, required: ["Tests", "Scripts"]).map(\.line) == [5, 1])
    }

    @Test("A product that is described as 'no product' is found, and a module that is no longer a product")
    func detectsProducts() {
        #expect(Self.sample.violations(products: ["Main"]) == [])
        #expect(Self.sample.violations(products: ["Main", "Shared"]).map(\.line) == [7])
        #expect(Self.sample.violations(products: []).map(\.line) == [4])
    }

    @Test("Products are read from README's table and from the manifest")
    func readsProducts() {
        let readme = "Text\n| Product | For |\n|---|---|\n| `A` | a |\n| `b-c` | `D` |\n\n| `E` | e |\n"
        #expect(LayoutCheck.products(inReadme: readme) == ["A", "b-c"])
        let manifest = #".library(name: "A", targets: ["A"]), .executable(name: "b-c", targets: ["B"])"#
        #expect(LayoutCheck.products(inManifest: manifest) == ["A", "b-c"])
    }
}
