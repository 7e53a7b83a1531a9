import Foundation
import Testing

/// The article "Getting started", whose steps `make guide` types into an empty package.
@Suite("The guide for new users")
struct GettingStartedGuideTests {
    private static let article = "Sources/Cabinet/Cabinet.docc/GettingStarted.md"

    @Test("It shows every file of its package, and no other Swift code but the manifest")
    func files() throws {
        let blocks = MarkdownBlock.blocks(in: try PackageFiles.text(at: Self.article)).filter { $0.language == "swift" }
        let paths = ["Examples/Groceries", "Examples/Shop", "Tests/GroceriesTests"].flatMap {
            PackageFiles.paths(in: $0, suffix: ".swift")
        }
        #expect(Set(blocks.compactMap(\.origin)) == Set(paths.map { .source(path: $0, snippet: nil) }))
        #expect(blocks.filter { $0.origin == nil }.map { $0.lines.first } == ["// swift-tools-version: 6.1"])
    }

    @Test("The program prints what it says")
    func output() throws {
        let blocks = MarkdownBlock.blocks(in: try PackageFiles.text(at: Self.article))
        let shown = try #require(blocks.first { $0.lines.first == "$ swift run Shop" })
        let printed = try ProductRunner.output(of: ["Shop"]).split(separator: "\n").map(String.init)
        #expect(Array(shown.lines.dropFirst()) == printed)
    }
}

/// The article "Writing a backend", whose steps `make guide` types into an empty package.
@Suite("The guide for authors of backends")
struct GuideTests {
    private static let article = "Sources/Cabinet/Cabinet.docc/WritingABackend.md"

    @Test("It shows every file of its example, and no other Swift code but the manifest")
    func files() throws {
        let page = try PackageFiles.text(at: Self.article)
        let paths = PackageFiles.paths(in: "Examples/DictionaryBackend", suffix: ".swift")
        #expect(paths.count > 1)
        for path in paths { #expect(page.contains("<!-- source: \(path) -->"), "\(path)") }
        let typed = MarkdownBlock.blocks(in: page).filter { $0.language == "swift" && $0.origin == nil }
        #expect(typed.map { $0.lines.first } == ["// swift-tools-version: 6.1"])
    }

    @Test("Each of its steps names the number of passing rules, more with each step")
    func steps() throws {
        let page = try PackageFiles.text(at: Self.article)
        let counts = page.matches(of: #/\nall +(\d+) +(\d+) +(\d+)\n/#).compactMap { Int($0.1) }
        #expect(counts.count == 6)
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("It has at most 400 lines, and so has the code of the example that keeps records in a file")
    func length() throws {
        let page = try PackageFiles.text(at: Self.article)
        #expect(page.count { $0 == "\n" } <= 400)
        let code = PackageFiles.examples.filter { $0.path.hasPrefix("Examples/JSONLinesBackend/") }
            .flatMap(\.linesWithoutComments).filter { !$0.allSatisfy(\.isWhitespace) }
        #expect((1...400).contains(code.count), "\(code.count)")
    }
}
