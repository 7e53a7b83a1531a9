import Cabinet
import CabinetSQLite
import Testing

@testable import CabinetConformance

/// Cabinet's rules whose source is CloudKit, checked through CloudKit's classes, one half of them in memory and the other half in SQLite.
@Suite("CloudKit's rules through its classes")
struct ClassRuleTests {
    private static let rules = ConformanceRule.all.filter { rule in
        // CloudKit's classes do not have the keys of encrypted values; `CKRecord.encryptedValues` has tests of its own.
        if rule.family == .encryption { return false }
        return if case .cloudKit = rule.source { true } else { false }
    }

    private func run(_ rule: ConformanceRule, on subject: ConformanceSubject) async throws {
        _ = try await rule.runIfApplicable(on: subject, timeLimit: .seconds(600), adapt: ClassService.adapt)
    }

    @Test("in memory", arguments: rules.filter { $0.half == 0 })
    func memory(_ rule: ConformanceRule) async throws {
        try await run(rule, on: .inMemory { MemoryBackend() })
    }

    @Test("in SQLite", arguments: rules.filter { $0.half == 1 })
    func sqlite(_ rule: ConformanceRule) async throws {
        try await run(rule, on: .inDirectories { SQLiteBackend(directory: $0) })
    }

    @Test("are most of the rules about records, zones, changes and subscriptions")
    func catalog() {
        #expect(Self.rules.count >= 190)
    }
}
