import Testing

@Suite("Documentation: every public declaration has a doc comment")
struct DocumentationTests {
    @Test("Every public declaration of this package has a doc comment")
    func package() {
        for file in PackageFiles.sources {
            expectNone(DocumentationCheck.violations(in: file))
        }
    }

    @Test(
        "A missing doc comment is found, at its line",
        arguments: [
            ("public struct A {}", [1]),
            ("/// A.\npublic struct A {\n    public var b: Int\n    var c: Int\n}", [3]),
            ("/// A.\npublic enum A {\n    case b\n    /// C.\n    case c(Int)\n    indirect case d\n}", [3, 6]),
            (
                "/// A.\npublic protocol A {\n    associatedtype B\n    /// C.\n    func c()\n    var d: Int { get }\n}",
                [3, 6]
            ),
            ("extension A {\n    public static func == (a: A, b: A) -> Bool { true }\n}", [2]),
            ("/// A.\n\npublic struct A {}", [3]),
            ("// A.\npublic struct A {}", [2]),
            ("/// A.\nlet a = 1\npublic func b() {}", [3]),
            ("@discardableResult\npublic func a() -> Int { 1 }", [2]),
            ("/// A.\npublic struct A {\n    public init() {}\n    public subscript(b: Int) -> Int { b }\n}", [3, 4]),
            ("/// A.\nopen class A {\n    open class func b() {}\n}", [3]),
            ("/// A.\npublic enum A {\n    public enum B {\n        case c\n    }\n}", [3, 4]),
        ])
    func detects(text: String, lines: [Int]) {
        #expect(DocumentationCheck.violations(in: SourceText(path: "A.swift", text: text)).map(\.line) == lines)
    }

    @Test(
        "A declaration that is documented, or not public, passes",
        arguments: [
            "struct A {\n    var b: Int\n    enum C {\n        case d\n    }\n}",
            "/// A.\n@available(\n    macOS 15, *\n)\n@frozen public struct A {}",
            "/// A.\n// A note for those who change it.\npublic struct A {}",
            "public import Foundation\npublic extension A {}",
            "/// A.\npublic enum A {\n    /// B.\n    case b\n\n    /// C.\n    public var c: Int {\n"
                + "        switch self {\n        case .b: 1\n        }\n    }\n}",
            "/// A.\npublic func a() {\n    struct B {\n        let c = 1\n    }\n    let d = { 1 }\n}",
            "protocol A {\n    func b()\n}",
            "/// A.\npublic class A: B {\n    public override func c() {}\n}",
            "let a = \"\"\"\n    public struct A {}\n    \"\"\"",
        ])
    func accepts(text: String) {
        #expect(DocumentationCheck.violations(in: SourceText(path: "A.swift", text: text)) == [])
    }
}
