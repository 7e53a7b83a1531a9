import Testing

@Suite("File names: a type in the file of its name")
struct FileNameTests {
    @Test("The core's types are in the files of their names")
    func package() {
        expectNone(PackageFiles.sources.flatMap(FileNameCheck.violations))
    }

    @Test(
        "A file without the type of its name is found",
        arguments: [
            ("A.swift", "\nstruct B {}\nstruct A {}", 2),
            ("A.swift", "public extension A {}", 1),
            ("A+Codable.swift", "extension B: Codable {}", 1),
        ])
    func detects(name: String, text: String, line: Int) {
        let file = SourceText(path: "Sources/Cabinet/Records/\(name)", text: text)
        #expect(FileNameCheck.violations(in: file).map(\.line) == [line])
    }

    @Test(
        "A type in its own file passes, with its satellites",
        arguments: [
            ("A.swift", "struct A {}\nstruct B {}"),
            ("A.swift", "public struct A {\n    enum B {}\n}\n\nprivate struct C {}"),
            ("A+B.swift", "extension A {\n    struct B {}\n}"),
            ("AB+Codable.swift", "extension A.B: Codable {}"),
            ("A+Codable.swift", "extension A.B: Codable {}"),
            ("A+Types.swift", "extension String: A {}\n\nextension Array: A, B where Element: C {}"),
            ("Result+A.swift", "extension Result where Failure == A {}"),
        ])
    func accepts(name: String, text: String) {
        let file = SourceText(path: "Sources/Cabinet/Records/\(name)", text: text)
        #expect(FileNameCheck.violations(in: file) == [])
    }
}
