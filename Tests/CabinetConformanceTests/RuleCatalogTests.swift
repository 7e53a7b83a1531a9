import Cabinet
import Foundation
import Testing

@testable import CabinetConformance

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
        #expect(written.reduce(0, +) == ConformanceRule.written.count)
    }

    @Test("Every requirement and every mutation of the storage protocols has a rule that tests its law")
    func seam() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Cabinet/Storage").standardizedFileURL
        let sources = Set(
            ConformanceRule.written.compactMap { rule -> String? in
                guard case .storage(let requirement) = rule.source else { return nil }
                return String(requirement.prefix { $0 != "(" })
            })
        var count = 0
        for type in ["StorageBackend", "StorageSnapshot", "StorageTransaction", "StorageMutation"] {
            let text = try String(contentsOf: folder.appending(path: "\(type).swift"), encoding: .utf8)
            for found in text.matches(of: #/\n    (?:func|var|case) (\w+)/#) {
                count += 1
                // A backend's abilities are tested with those of its views.
                let owner = found.1 == "abilities" ? "StorageSnapshot" : type
                #expect(sources.contains("\(owner).\(found.1)"), "\(type).\(found.1)")
            }
        }
        #expect(count == 23)
    }

    @Test("Every rule about filters, order and paging runs a second time with every field indexed")
    func indexed() {
        let families: Set<ConformanceRule.Family> = [.filters, .order, .paging]
        let names = Set(ConformanceRule.all.map(\.name))
        for rule in ConformanceRule.written where families.contains(rule.family) {
            #expect(names.contains("\(rule.name), with every field indexed"))
        }
    }

    @Test("Rules are found by their family, by their name, and as they are printed")
    func named() throws {
        #expect(try ConformanceRule.named([]).count == ConformanceRule.all.count)
        let found = try ConformanceRule.named(["delete rules", "a record type is an identifier"])
        #expect(Set(found.map(\.family)) == [.deleteRules, .names])
        #expect(found.last?.name == "a record type is an identifier")
        for rule in ConformanceRule.all { #expect(try ConformanceRule.named(["\(rule)"]).map(\.name) == [rule.name]) }
    }

    @Test("A word that names neither a family nor a rule is an error that lists the families")
    func unknownName() {
        let error = #expect(throws: CabinetError.self) { try ConformanceRule.named(["paging", "filter"]) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.message.contains("'filter' is neither a family") == true)
        #expect(error?.message.contains("delete rules") == true)
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
