import Testing

@Suite("Duplicates: the SQL backends share what both need")
struct DuplicateTests {
    @Test("Files of the same name in both SQL backends have few lines in common")
    func backends() {
        let counts = DuplicateCheck.counts(in: PackageFiles.sources)
        #expect(counts.count > 5)
        let sum = counts.reduce(0) { $0 + $1.count }
        print("The SQL backends have \(sum) lines in common in \(counts.count) pairs of files.")
        #expect(sum < DuplicateCheck.most, "Move common code to SQLSupport: \(counts.sorted { $0.count > $1.count })")
    }

    @Test("Common lines are counted in blocks, without comments, imports and indentation")
    func detects() {
        let left = SourceText(
            path: "Sources/CabinetSQLite/A/Row.swift",
            text: "import A\n/// A row.\nstruct Row {\n    let a: Int\n    let b: Int\n}\n\nlet last = 1\n")
        let right = SourceText(
            path: "Sources/CabinetPostgres/B/Row.swift",
            text: "import A\nstruct Row {\n  let b: Int // The second.\n  let c: Int\n}\nlet last = 1\nlet a: Int\n")
        let other = SourceText(path: "Sources/CabinetPostgres/B/Other.swift", text: right.lines.joined(separator: "\n"))
        #expect(DuplicateCheck.counts(in: [left, right, other]).map(\.count) == [4])
        #expect(DuplicateCheck.common(["a", "b", "c", "d"], ["c", "d", "a", "b"]) == 2)
    }
}
