import CabinetTesting
import Testing

@testable import Cabinet

/// Batches that are not atomic, held against every possible outcome of them.
@Suite("Outcomes of batches that are not atomic")
struct BatchOutcomeTests {
    /// The references of a record: its rules by target.
    typealias Links = [Int: Reference.Action]

    /// A small database and a batch: records are numbers, and each has at most one reference to each other one.
    struct Case: CustomStringConvertible {
        var stored: [Int: Links] = [:]
        var saves: [Int: Links] = [:]
        var deletions: Set<Int> = []

        static let count = 6
        static let actions: [Reference.Action] = [.deleteSelf, .deny, .nullify]

        var description: String { "stored \(stored), saves \(saves), deletions \(deletions.sorted())" }

        init(_ random: inout SeededGenerator) {
            let names = Array(0..<Self.count)
            let new = Set(names.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
            for name in names where !new.contains(name) {
                stored[name] = Self.links(to: names.filter { $0 != name && !new.contains($0) }, &random)
            }
            for name in names {
                switch Int.random(in: 0..<3, using: &random) {
                case 0 where stored[name] != nil: deletions.insert(name)
                case 1: saves[name] = Self.links(to: names.filter { $0 != name }, &random)
                default: break
                }
            }
        }

        private static func links(to names: [Int], _ random: inout SeededGenerator) -> Links {
            var links: Links = [:]
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                if let target = names.randomElement(using: &random) {
                    links[target] = actions.randomElement(using: &random)
                }
            }
            return links
        }
    }

    /// The saves and deletions that succeed.
    struct Outcome: Equatable {
        var saves: Set<Int>
        var deletions: Set<Int>
    }

    // MARK: The model

    /// The records that deletions would delete, and whether a kept record denies that.
    private func cascade(_ links: [Int: Links], _ roots: Set<Int>) -> (deleted: Set<Int>, isDenied: Bool) {
        var deleted = roots
        while true {
            let more = links.filter { id, links in
                !deleted.contains(id) && links.contains { $1 == .deleteSelf && deleted.contains($0) }
            }
            if more.isEmpty { break }
            deleted.formUnion(more.keys)
        }
        let isDenied = links.contains { id, links in
            !deleted.contains(id) && links.contains { $1 == .deny && deleted.contains($0) }
        }
        return (deleted, isDenied)
    }

    private func links(_ test: Case, saving saves: Set<Int>) -> [Int: Links] {
        test.stored.merging(test.saves.filter { saves.contains($0.key) }) { $1 }
    }

    /// Returns the records after an outcome; `nil` if it is not possible.
    private func state(_ test: Case, _ outcome: Outcome) -> Set<Int>? {
        let links = links(test, saving: outcome.saves)
        let (deleted, isDenied) = cascade(links, outcome.deletions)
        let state = Set(links.keys).subtracting(deleted)
        guard !isDenied, outcome.saves.isSubset(of: state) else { return nil }
        for id in outcome.saves {
            guard test.saves[id]?.keys.allSatisfy(state.contains) == true else { return nil }
        }
        return state
    }

    /// Returns why an outcome is wrong; `nil` if it is right.
    ///
    /// It is right if it is possible, and each refused item would make it impossible for the right reason.
    private func objection(_ test: Case, _ outcome: Outcome) -> String? {
        guard let state = state(test, outcome) else { return "The outcome is not possible." }
        for id in test.saves.keys where !outcome.saves.contains(id) {
            if test.saves[id]?.keys.allSatisfy({ state.contains($0) || $0 == id }) == true {
                return "The save of \(id) refers to existing records, and is refused."
            }
        }
        for id in test.deletions where !outcome.deletions.contains(id) {
            let roots = outcome.deletions.union([id])
            let isDenied = cascade(links(test, saving: outcome.saves), roots).isDenied
            // Records that cannot be saved differently than they are deny it too.
            let isDeniedByOld = subsets(outcome.saves).contains { cascade(links(test, saving: $0), roots).isDenied }
            if !isDenied && !isDeniedByOld { return "No record denies the refused deletion of \(id)." }
        }
        return nil
    }

    private func subsets(_ set: Set<Int>) -> [Set<Int>] {
        set.reduce([[]]) { subsets, element in subsets + subsets.map { $0.union([element]) } }
    }

    // MARK: The planner

    private func id(_ number: Int) -> RecordID { RecordID(recordName: "r\(number)") }

    private func record(_ number: Int, _ links: Links, over old: Record? = nil) -> Record {
        var record = old ?? Record(recordType: "Nodes", recordID: id(number))
        for key in record.allKeys() { record[key] = nil }
        for (target, action) in links { record["to\(target)"] = Reference(recordID: id(target), action: action) }
        return record
    }

    private func run(_ test: Case, reversed: Bool) async throws -> (outcome: Outcome, state: Set<Int>) {
        let database = try Container(identifier: "outcomes", backend: MemoryBackend()).privateDatabase
        let stored = test.stored.sorted { $0.key < $1.key }.map { record($0, $1) }
        let saved = try await database.modifyRecords(saving: stored, deleting: []).saveResults.mapValues {
            try $0.get()
        }
        let saves = test.saves.sorted { $0.key < $1.key }.map { record($0, $1, over: saved[id($0)]) }
        let deletions = test.deletions.sorted().map(id)
        let results = try await database.modifyRecords(
            saving: reversed ? saves.reversed() : saves, deleting: reversed ? deletions.reversed() : deletions,
            atomically: false)
        func succeeded<Success>(_ results: [RecordID: Result<Success, CabinetError>]) -> Set<Int> {
            Set((0..<Case.count).filter { if case .success? = results[id($0)] { true } else { false } })
        }
        let names = try await database.allRecords(matching: Query(recordType: "Nodes")).map(\.recordID)
        return (
            Outcome(saves: succeeded(results.saveResults), deletions: succeeded(results.deleteResults)),
            Set((0..<Case.count).filter { names.contains(id($0)) })
        )
    }

    @Test("A random batch has a right outcome, in every order", arguments: 0..<8)
    func random(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let test = Case(&random)
            let (outcome, state) = try await run(test, reversed: false)
            if let objection = objection(test, outcome) { Issue.record("\(objection) \(outcome) of: \(test)") }
            #expect(self.state(test, outcome) == state, "\(outcome) of: \(test)")
            #expect(try await run(test, reversed: true).outcome == outcome, "Reversed: \(test)")
        }
    }

    @Test(
        "A chain of saves and deletions that depend on each other takes time in proportion to it",
        .timeLimit(.minutes(15)))
    func chain() async throws {
        let database = try Container(identifier: "outcomes", backend: MemoryBackend()).privateDatabase
        let count = 5000
        func name(_ kind: String, _ number: Int) -> RecordID { RecordID(recordName: "\(kind)\(number)") }
        let targets = (0..<count).map { Record(recordType: "Nodes", recordID: name("d", $0)) }
        _ = try await database.modifyRecords(saving: targets, deleting: [])
        // Each save denies one deletion, and is refused for the one before it, which ends its denial.
        let saves = (1..<count).map { number in
            var record = Record(recordType: "Nodes", recordID: name("s", number))
            record["denied"] = Reference(recordID: name("d", number), action: .deny)
            record["needed"] = Reference(recordID: name("d", number - 1), action: .nullify)
            return record
        }
        let results = try await database.modifyRecords(
            saving: saves, deleting: targets.map(\.recordID), atomically: false)
        #expect(results.saveResults.count == count - 1 && results.deleteResults.count == count)
        #expect(throws: Never.self) { try results.deleteResults[name("d", 0)]?.get() }
    }
}
