import Testing

@Suite("Gates: `make check` runs every one of them")
struct GateTests {
    @Test("`make check` depends on every target that is a gate")
    func dependencies() throws {
        let makefile = try PackageFiles.text(at: "Makefile")
        let all = try #require(makefile.firstMatch(of: #/(?m)^check: (.*?) ##/#)).1.split(separator: " ")
        let gates = makefile.matches(of: #/(?m)^(check-\w+):/#).map(\.1)
        #expect(gates.count > 5)
        #expect(Set(gates) == Set(all))
    }

    @Test("Every suite that a gate names exists: a filter that matches nothing would pass")
    func suites() throws {
        let code = PackageFiles.tests.filter { $0.path.hasPrefix("Tests/PackageTests/") }.flatMap(\.code)
        let suites = try PackageFiles.text(at: "Makefile").matches(of: #/PackageTests\.(\w+)/#).map(\.1)
        #expect(suites.count >= 5)
        for suite in suites {
            #expect(code.contains("struct \(suite) {"), "Makefile filters by \(suite), which is not a suite")
        }
    }
}
