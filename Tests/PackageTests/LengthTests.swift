import Testing

@Suite("Length: no Swift file is longer than 400 lines")
struct LengthTests {
    @Test("No Swift file of this package is too long")
    func package() throws {
        let files = PackageFiles.sources + PackageFiles.examples + PackageFiles.tests
        expectNone(LengthCheck.violations(in: files))

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

    @Test("The median is the middle one")
    func median() {
        let files = [9, 1, 5].map { SourceText(path: "", text: String(repeating: "\n", count: $0)) }
        #expect(LengthCheck.median(of: files) == 5)
    }
}
