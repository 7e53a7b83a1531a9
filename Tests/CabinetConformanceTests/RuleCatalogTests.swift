import Cabinet
import CabinetConformance
import Foundation
import Testing

@Suite("The catalogue of rules")
struct RuleCatalogTests {
    @Test("No two rules have one name")
    func namesAreUnique() {
        let names = Dictionary(grouping: ConformanceRule.all, by: \.name)
        #expect(names.filter { $0.value.count > 1 }.keys.sorted() == [])
    }

    @Test("No rule that is written is left out")
    func allIsComplete() throws {
        let rules = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/CabinetConformance/Rules").standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(at: rules, includingPropertiesForKeys: nil)
        let written = try files.map { file in
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count {
                $0 == "        ConformanceRule("
            }
        }
        // What is made up is no file of rules.
        #expect(written.reduce(0, +) == ConformanceRule.all.count { $0.family != .model })
    }

    @Test("Every family has rules", arguments: ConformanceRule.Family.allCases)
    func familiesAreNotEmpty(_ family: ConformanceRule.Family) {
        #expect(ConformanceRule.all.contains { $0.family == family })
    }

    @Test("A name is a phrase, a law is a sentence")
    func textsReadWell() {
        for rule in ConformanceRule.all {
            #expect(!rule.name.hasSuffix("."), "\(rule)")
            #expect(rule.law.hasSuffix("."), "\(rule)")
            #expect(rule.law.count <= 160, "\(rule)")
            #expect(rule.description == "\(rule.family.rawValue): \(rule.name)")
        }
    }

    @Test("A rule that needs a store to be opened again holds of a backend that has none")
    func reopening() async throws {
        let rules = ConformanceRule.all.filter(\.needsReopening)
        #expect(rules.count >= 3)
        for rule in rules { try await rule.run { MemoryBackend() } }
    }
}
