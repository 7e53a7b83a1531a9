import Cabinet
import CabinetSQLite
import CabinetConformance
import Foundation
import Synchronization
import Testing

@Suite("Reports of many rules")
struct ConformanceReportTests {
    private static func rule(
        _ name: String, _ family: ConformanceRule.Family = .values, needsReopening: Bool = false,
        _ body: @escaping @Sendable (ConformanceWorld) async throws -> Void = { _ in }
    ) -> ConformanceRule {
        ConformanceRule(
            family, name, law: "It holds.", source: .cabinet("here"), needsReopening: needsReopening, body: body)
    }

    private static let mixed = [
        rule("one"), rule("two", .batches) { _ in try expect("The sum", 2, equals: 3, fileID: "R.swift", line: 7) },
        rule("three", needsReopening: true) { try await $0.reopened { _ in } }, rule("four"),
    ]

    @Test("A report says which laws are kept, which are broken, and which do not apply")
    func description() async {
        let seen = Mutex<Set<String>>([])
        let report = await ConformanceRule.run(Self.mixed, on: .inMemory { MemoryBackend() }) { entry in
            seen.withLock { _ = $0.insert(entry.rule.name) }
        }
        #expect(seen.withLock { $0 } == ["one", "two", "three", "four"])
        #expect(!report.isPassed)
        #expect(report.entries.map(\.rule.name) == ["one", "two", "three", "four"])
        #expect(report.failures.map(\.rule?.name) == ["two"])
        #expect(report.duration > .zero)
        #expect(
            report.description == """
                Family   kept  broken  not applicable
                values      2       0               1
                batches     0       1               0
                all         2       1               1

                ConformanceFailure: batches: two
                ├─ Law: It holds.
                ├─ Source: Cabinet, here
                ├─ Found: The sum: found 2, expected 3.
                └─ Line: R.swift:7

                1 law is broken.
                """)
    }

    @Test("A helper that fails is named with the error that it printed")
    func failingHelper() async throws {
        let rule = try #require(ConformanceRule.all.first { $0.needsHelper })
        let subject = ConformanceSubject.inDirectories { SQLiteBackend(directory: $0) }
            .withHelper(URL(filePath: "/bin/sh"), arguments: ["-c", "echo broken >&2; exit 3"])
        let failure = try await #require(throws: ConformanceFailure.self) { try await rule.run(on: subject) }
        #expect(failure.message.contains("ended with status 3"), "\(failure)")
        #expect(failure.message.contains("the error 'broken'"), "\(failure)")
    }

    @Test("The failures of the narrowest family come first")
    func narrowest() async {
        let families: [ConformanceRule.Family] = [.durability, .batches, .storage, .filters, .transactions, .values]
        let rules = families.map { family in Self.rule("\(family)", family) { _ in try expect(false, "No.") } }
        let text = await ConformanceRule.run(rules, on: .inMemory { MemoryBackend() }).description
        let expected = ["storage", "transactions", "values", "batches", "filters", "durability"]
        #expect(text.matches(of: /ConformanceFailure: ([a-z]+):/).map { String($0.1) } == expected)
    }

    @Test("A backend that cannot be opened, and a rule that does not end, are failures of the rules")
    func failures() async {
        let broken = await ConformanceRule.run(
            Array(Self.mixed.prefix(2)), on: .inMemory { throw CabinetError(.badContainer, "The disk is missing.") })
        #expect(broken.failures.count == 2)
        #expect(broken.description.contains("The disk is missing."))
        #expect(broken.description.hasSuffix("2 laws are broken."))
        let endless = Self.rule("endless") { _ in try await Task.sleep(for: .seconds(600)) }
        let late = await ConformanceRule.run(
            [endless], on: .inMemory { MemoryBackend() }, timeLimit: .milliseconds(20))
        #expect(late.failures.first?.message.contains("did not end") == true)
        let none = await ConformanceRule.run([], on: .inMemory { MemoryBackend() }, atOnce: 0)
        #expect(!none.isPassed)
        #expect(none.description.hasSuffix("No rule was run."))
    }

    @Test("Each rule has a directory of its own, which is kept when the store is reopened, and is removed")
    func directories() async throws {
        let directories = Mutex<[URL]>([])
        let report = await ConformanceRule.run(
            Self.mixed,
            on: .inDirectories { directory in
                directories.withLock { $0.append(directory) }
                return SQLiteBackend(directory: directory)
            }, atOnce: 2)
        #expect(report.failures.map(\.rule?.name) == ["two"])
        let found = directories.withLock { $0 }
        // One of the rules opens its store twice.
        #expect(found.count == 5)
        #expect(Set(found).count == 4)
        #expect(found.allSatisfy { !FileManager.default.fileExists(atPath: $0.path) })
    }

    @Test("Stores with names are removed under their names, even if a rule fails")
    func names() async throws {
        let log = Mutex<(opened: Set<String>, removed: Set<String>)>(([], []))
        let subject = ConformanceSubject.named { store in
            log.withLock { _ = $0.opened.insert(store) }
            return MemoryBackend()
        } removing: { store in
            log.withLock { _ = $0.removed.insert(store) }
        }
        _ = await ConformanceRule.run(Self.mixed, on: subject)
        let (opened, removed) = log.withLock { $0 }
        #expect(opened.count == 4)
        #expect(opened == removed)
        #expect(opened.allSatisfy { $0.wholeMatch(of: /cabinet-[0-9a-f-]{36}/) != nil })
    }
}
