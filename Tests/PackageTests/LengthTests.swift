import Testing

@Suite("Length: no Swift file is longer than 400 lines, and no line of a comment than 150 characters")
struct LengthTests {
    @Test("No Swift file of this package is too long")
    func package() throws {
        let files = PackageFiles.sources + PackageFiles.examples + PackageFiles.tests
        expectNone(LengthCheck.violations(in: files))
        expectNone(files.flatMap(LengthCheck.commentViolations))

        let longest = try #require(files.max { $0.lines.count < $1.lines.count })
        print(
            "Sources: \(PackageFiles.sources.count) files, median \(LengthCheck.median(of: PackageFiles.sources)) lines.",
            "Longest of all: \(longest.path), \(longest.lines.count) lines.")
    }

    @Test("A file of 401 lines is found, one of 400 is not")
    func detects() {
        let long = SourceText(path: "Long.swift", text: String(repeating: "\n", count: 401))
        let short = SourceText(path: "Short.swift", text: String(repeating: "\n", count: 400))
        #expect(LengthCheck.violations(in: [long, short]).map(\.path) == ["Long.swift"])
    }

    @Test("A comment of 151 characters is found, one of 150 and a longer text in code are not")
    func comments() {
        let fill = String(repeating: "x", count: 143)
        let file = SourceText(
            path: "A.swift", text: "    /// \(fill)\n    /// \(fill.dropLast())\nlet text = \"//\(fill)\"\n")
        #expect(LengthCheck.commentViolations(in: file).map(\.line) == [1])
    }

    @Test("The median is the middle one")
    func median() {
        let files = [9, 1, 5].map { SourceText(path: "", text: String(repeating: "\n", count: $0)) }
        #expect(LengthCheck.median(of: files) == 5)
    }
}
