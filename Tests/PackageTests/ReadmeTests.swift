import Foundation
import Testing

@Suite("README: its code compiles, its output is real")
struct ReadmeTests {
    @Test("Every Swift block of README is cut from a compiled file, every output is what the program prints")
    func readme() throws {
        let check = MarkdownCheck(read: PackageFiles.text(at:), run: ProductRunner.output(of:))
        expectNone(check.violations(in: try PackageFiles.text(at: "README.md"), path: "README.md"))
    }

    @Test("In Cabinet's articles every Swift block is cut from a compiled file, in others each that names its origin")
    func otherPages() throws {
        // `make guide` types the manifests of the guides. The older articles have parts of other programs.
        let unchecked = ["GettingStarted.md", "WritingABackend.md", "BlockingAndIndexing.md"]
        for path in PackageFiles.paths(in: "Sources", suffix: ".md") {
            let isChecked = path.hasPrefix("Sources/Cabinet/") && !unchecked.contains { path.hasSuffix("/" + $0) }
            let check = MarkdownCheck(
                requiresSources: isChecked, read: PackageFiles.text(at:), run: ProductRunner.output(of:))
            expectNone(check.violations(in: try PackageFiles.text(at: path), path: path))
        }
    }

    @Test("An article that a text names in quotes exists")
    func articles() throws {
        let paths = PackageFiles.paths(in: "Sources", suffix: ".md")
        let titles = try paths.compactMap { path in
            try PackageFiles.text(at: path).split(separator: "\n").first { $0.hasPrefix("# ") }?.dropFirst(2)
        }
        var count = 0
        for path in paths + ["README.md", "SECURITY.md", "CONTRIBUTING.md"] {
            let text = try PackageFiles.text(at: path).replacing("\n", with: " ")
            for match in text.matches(of: #/[Aa]rticles? "([^"]+)"(?: and "([^"]+)")?/#) {
                for title in [match.1, match.2].compactMap(\.self) {
                    count += 1
                    #expect(titles.contains(title), "\(path): \(title)")
                }
            }
        }
        #expect(count > 10)
    }

    @Test("Code in README, in articles, in doc comments and in the tutorial has at most 78 characters a line")
    func width() throws {
        for path in PackageFiles.paths(in: "Sources", suffix: ".md") + ["README.md"] {
            for block in MarkdownBlock.blocks(in: try PackageFiles.text(at: path)) where block.language != "text" {
                expectNone(Self.wideLines(of: block.lines, path: path, after: block.line))
            }
        }
        let steps = PackageFiles.paths(in: "Sources", suffix: ".swift").filter { $0.contains(".docc/Resources/") }
        #expect(!steps.isEmpty)
        for path in steps {
            let lines = try PackageFiles.text(at: path).components(separatedBy: "\n")
            expectNone(Self.wideLines(of: lines, path: path, after: 0))
        }
        for file in PackageFiles.sources {
            expectNone(Self.wideLines(ofCommentsIn: file))
        }
    }

    private static func wideLines(of lines: [String], path: String, after line: Int) -> [Violation] {
        lines.enumerated().filter { $0.element.count > 78 }.map {
            Violation(path: path, line: line + $0.offset + 1, message: $0.element)
        }
    }

    /// The wide lines of Swift code in doc comments.
    private static func wideLines(ofCommentsIn file: SourceText) -> [Violation] {
        var isCode = false
        return file.lines.enumerated().compactMap { index, line in
            let comment = line.drop { $0 == " " }
            guard comment.hasPrefix("///") else {
                isCode = false
                return nil
            }
            let text = comment.dropFirst(4)
            if text.hasPrefix("```") { isCode = text == "```swift" }
            return isCode && text.count > 78 ? Violation(path: file.path, line: index + 1, message: "\(text)") : nil
        }
    }

    private struct NoFile: Error {}

    private let check = MarkdownCheck(
        read: { path in
            if path == "Guide.md" { return "```swift\nlet a = 1\n```" }
            guard path == "A.swift" else { throw NoFile() }
            return """
                // The smallest program.
                // It saves nothing.

                import Cabinet

                func main() {
                    // snippet: call
                    if a {
                        b()
                    }
                    // end
                }

                """
        },
        run: { command in "ran \(command.joined(separator: " "))\n" })

    @Test(
        "A block that is not what it claims is found, at its line",
        arguments: [
            ("```swift\nlet a = 1\n```", 1),
            ("<!-- source: A.swift -->\n```swift\nimport Cabinet\n```", 4),
            ("<!-- source: A.swift#call -->\n```swift\nif a {\n    c()\n}\n```", 4),
            ("<!-- source: A.swift#call -->\n```swift\nif a {\n    b()\n}\nelse\n```", 6),
            ("<!-- source: A.swift#other -->\n```swift\nif a {\n```", 2),
            ("<!-- source: B.swift -->\n```swift\nif a {\n```", 2),
            ("<!-- source: A.swift#call -->\nText.\n```swift\nif a {\n    b()\n}\n```", 3),
            ("<!-- typed: Guide.md -->\n```swift\nlet a = 2\n```", 2),
            ("<!-- output: a b -->\n```text\nran a\n```", 3),
        ])
    func detects(text: String, line: Int) {
        #expect(check.violations(in: text, path: "README.md").map(\.line) == [line])
    }

    @Test(
        "A block that is what it claims passes",
        arguments: [
            "<!-- source: A.swift -->\n```swift\nimport Cabinet\n\nfunc main() {\n    if a {\n        b()\n    }\n}\n```",
            "<!-- source: A.swift#call -->\n\n```swift\nif a {\n    b()\n}\n```\nText.",
            "<!-- output: a b -->\n```text\nran a b\n```",
            "<!-- typed: Guide.md -->\n```swift\nlet a = 1\n```",
            "```sh\nmake test\n```",
            "````text\n```swift\n````",
        ])
    func accepts(text: String) {
        #expect(check.violations(in: text, path: "README.md") == [])
    }

    @Test("A program that does not exist, or fails, is a mistake and not a crash")
    func missingProgram() {
        #expect(throws: ProductRunner.Failure.self) { try ProductRunner.output(of: ["no-such-program"]) }
        #expect(throws: ProductRunner.Failure.self) { try ProductRunner.output(of: []) }
    }
}
