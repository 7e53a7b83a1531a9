import Foundation
import Testing

/// The tutorial of the shopping list, whose steps are compiled and run by `ArticleTests`.
@Suite("The tutorial: its code is compiled code")
struct TutorialTests {
    private static let catalog = "Sources/Cabinet/Cabinet.docc"

    @Test("Each step shows the code of a test, with the imports of its file")
    func steps() throws {
        let tutorial = try PackageFiles.text(at: Self.catalog + "/Tutorials/ShoppingList.tutorial")
        let files = tutorial.matches(of: #/@Code\(name: "main.swift", file: "(\w+)\.swift"\)/#).map { String($0.1) }
        #expect(files.count == 9)
        for file in files {
            let shown = try PackageFiles.text(at: "\(Self.catalog)/Resources/\(file).swift")
            let tested = try PackageFiles.text(at: "Tests/ArticleTests/Tutorial/\(file).swift")
            let imports = tested.components(separatedBy: "\n").filter {
                $0.hasPrefix("import ") && $0 != "import Testing"
            }
            let code = try #require(MarkdownCheck.lines(of: tested, snippet: file), "\(file)")
            let block = MarkdownBlock(
                line: 0, language: "swift", origin: nil,
                lines: imports + [""] + code.map { String($0.dropFirst(8)) })
            let difference = block.firstDifference(from: shown.components(separatedBy: "\n"), of: file)
            #expect(difference == nil, "\(difference?.message ?? "")")
        }
    }

    @Test("The texts say what the last step prints")
    func output() throws {
        let tutorial = try PackageFiles.text(at: Self.catalog + "/Tutorials/ShoppingList.tutorial")
        let steps = try PackageFiles.text(at: "Tests/ArticleTests/Tutorial/TutorialSteps.swift")
        let lines = steps.matches(of: #/(?m)^        "(.+)",$/#).map { String($0.1) }
        #expect(lines.count == 8)
        for line in lines { #expect(tutorial.contains("`\(line)`"), "\(line)") }
    }
}
