import Testing

@Suite("Safety: nothing in Sources and Examples traps")
struct SafetyTests {
    @Test("Nothing in this package traps, and every unchecked promise says why it holds")
    func package() {
        for file in PackageFiles.sources + PackageFiles.examples {
            expectNone(SafetyCheck.violations(in: file))
        }
    }

    @Test(
        "A trap, a closure that grows, and a condition that is switched off are found",
        arguments: [
            "let a = try! b()",
            "let a = b as! Int",
            "fatalError(\"no\")",
            "guard a else { preconditionFailure() }",
            "precondition(a > 0)",
            "let a = b!",
            "let a = b!.c",
            "b! = 1",
            "let a = b[0]!",
            "let a = b()!",
            "let a = (b)! + c",
            "let a = $0!",
            "var a: Int!",
            "let a = \"\\(b!)\"",
            "let a = abs(b)",
            "let a = Mutex<(@Sendable () -> Void)?>(nil)",
            "let a = Mutex<@Sendable () -> Void>({})",
            "@TaskLocal static var a: (@Sendable (Int) throws -> Void)?",
            "var a: Bool { false && b }",
            "if b || true {",
            "return true || b",
            "let a = false && b",
            "a(b && false)",
            "FileHandle.standardError.write(bytes)",
            "handle.write(Data(text.utf8))",
            "let a = pipe.fileHandleForReading.readDataToEndOfFile()",
        ])
    func detectsTraps(line: String) {
        #expect(SafetyCheck.violations(in: SourceText(path: "A.swift", text: line)).map(\.line) == [1])
    }

    @Test(
        "Code that only resembles a trap passes",
        arguments: [
            "if !a && b != c && !(d) { }",
            "let a = b!=c",
            "if a !== b { }",
            "let a = \"Hello!\" // b! try! as! fatalError()",
            "/// `try!` is never used, nor is a!",
            "let a = [!b, !c].map(!)",
            "prefix func ! (a: Filter) -> Filter",
            "prefix func !(a: Filter) -> Filter",
            "preconditions(a)",
            "let a = \"abs(\\(b))\"",
            "return a == true || b",
            "a ?? true || b",
            "a == false && b == true",
            "let a = b == true && c",
            "try? FileHandle.standardError.write(contentsOf: Data(text.utf8))",
            "try Data(text.utf8).write(to: file)",
        ])
    func acceptsOthers(line: String) {
        #expect(SafetyCheck.violations(in: SourceText(path: "A.swift", text: line)) == [])
    }

    @Test(
        "An unchecked promise needs a reason near it",
        arguments: [
            "final class A: @unchecked Sendable {}",
            "/// A class.\nfinal class A: @unchecked Sendable {}",
            "nonisolated(unsafe) var a = 1",
            "// The lock guards it.\n\n\n\n\n\n\nnonisolated(unsafe) var a = 1",
        ])
    func detectsPromises(text: String) {
        #expect(SafetyCheck.violations(in: SourceText(path: "A.swift", text: text)).count == 1)
    }

    @Test(
        "An unchecked promise with a reason passes",
        arguments: [
            "// The lock guards every stored property.\nfinal class A: @unchecked Sendable {}",
            "// The lock guards it.\n\n\n\n\n\nnonisolated(unsafe) var a = 1",
            "nonisolated(unsafe) var a = 1 // written once, before any thread starts",
        ])
    func acceptsPromises(text: String) {
        #expect(SafetyCheck.violations(in: SourceText(path: "A.swift", text: text)) == [])
    }
}
