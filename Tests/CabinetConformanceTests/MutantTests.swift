import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetConformance

/// Broken backends prove that the rules can fail; ``ReadingFirstTests`` shows that they pass without a fault.
@Suite("Mutants")
struct MutantTests {
    @Test("A broken backend is found out", arguments: Mutant.all)
    func isCaught(_ mutant: Mutant) async throws {
        for name in mutant.caughtBy {
            let rule = try #require(ConformanceRule.all.first { $0.name == name }, "There is no rule '\(name)'.")
            await #expect(throws: ConformanceFailure.self, "The rule '\(name)' did not find that it \(mutant.name).") {
                try await rule.run(timeLimit: rule.mutantTimeLimit) { MutantBackend(mutant.fault) }
            }
        }
    }

    @Test("A store that loses something when it is closed is found out", arguments: Mutant.forgetting)
    func isCaughtLater(_ mutant: Mutant) async throws {
        for name in mutant.caughtBy {
            let rule = try #require(ConformanceRule.all.first { $0.name == name }, "There is no rule '\(name)'.")
            #expect(rule.needsReopening)
            let (backend, reopen) = mutant.store()
            await #expect(throws: ConformanceFailure.self, "The rule '\(name)' did not find that it \(mutant.name).") {
                try await rule.run(reopening: reopen, timeLimit: rule.mutantTimeLimit) { backend }
            }
        }
    }

    @Test(
        "A store that compares every read when it commits passes",
        arguments: ConformanceRule.all.filter { $0.family == .concurrency })
    func isOptimistic(_ rule: ConformanceRule) async throws {
        var fault = Fault()
        fault.isolation = .optimistic(overlooking: nil)
        let backend = MutantBackend(fault)
        try await rule.run { backend }
    }

    @Test("A store that loses nothing passes", arguments: ConformanceRule.all.filter(\.needsReopening))
    func isPassedLater(_ rule: ConformanceRule) async throws {
        let (backend, reopen) = Mutant("loses nothing", caughtBy: []) { _ in }.store()
        try await rule.run(reopening: reopen) { backend }
    }

    /// Rules about requests that the core refuses before it calls the backend, so that no backend can break them.
    private static let keptByTheCore: Set = [
        "a malformed record name is refused", "a malformed container identifier is a bad container",
        "an empty batch succeeds", "a reference stays in its zone", "a reference names a record that can exist",
        "the shared database has no default zone", "the shared database is queried zone by zone",
        "without an account the private and the shared database cannot be read",
        "the shared database has no changes", "zones cannot be created in the shared database",
        "a container knows whether it has an account", "an account needs a name",
        "Users records cannot be queried", "a malformed schema is refused",
        "a schema is applied on behalf of an account", "subscriptions need an account",
    ]

    /// Every rule, or those that no mutant names: the tests above show that the others can fail.
    private static let searched: [ConformanceRule] = {
        let all = (ConformanceRule.written + ConformanceRule.model).filter { !$0.needsHelper }
        if ProcessInfo.processInfo.environment["CABINET_ALL_MUTANTS"] != nil { return all }
        let named = Set((Mutant.all + Mutant.forgetting).flatMap(\.caughtBy))
        return all.filter { !named.contains($0.name) }
    }()

    @Test("Every rule that a backend can break is broken by one", arguments: searched)
    func canFail(_ rule: ConformanceRule) async throws {
        var isBroken = false
        if rule.needsReopening {
            for mutant in Mutant.forgetting where !isBroken {
                let (backend, reopen) = mutant.store()
                isBroken = await fails(rule, reopening: reopen, backend)
            }
        } else {
            for mutant in Self.likeliestFirst(rule.family) where !isBroken {
                isBroken = await fails(rule, MutantBackend(mutant.fault))
                if isBroken { Self.found.withLock { $0[rule.family, default: [:]][mutant.name, default: 0] += 1 } }
            }
        }
        #expect(isBroken != Self.keptByTheCore.contains(rule.name))
    }

    /// The number of rules of each family that find each mutant.
    private static let found = Mutex(
        Dictionary(grouping: ConformanceRule.all, by: \.family).mapValues { rules in
            let names = Set(rules.map(\.name))
            return Dictionary(
                uniqueKeysWithValues: Mutant.all.map { ($0.name, $0.caughtBy.count(where: names.contains)) })
        })

    /// All mutants, those first that most rules of a family find, so that the search for any ends soon.
    private static func likeliestFirst(_ family: ConformanceRule.Family) -> [Mutant] {
        let counts = found.withLock { $0[family] ?? [:] }
        return Mutant.deadliestFirst.sorted { counts[$0.name, default: 0] > counts[$1.name, default: 0] }
    }

    private func fails(
        _ rule: ConformanceRule, reopening reopen: (@Sendable () async throws -> any StorageBackend)? = nil,
        _ backend: any StorageBackend
    ) async -> Bool {
        do {
            try await rule.run(reopening: reopen, timeLimit: rule.mutantTimeLimit) { backend }
            return false
        } catch {
            return true
        }
    }

    /// Opens an open store in a second process.
    enum Sharing: CaseIterable {
        case sharesRecords
        case refusesWhileOpen
        case opensAnotherStore
        case refusesAlways
        case writesNothing
    }

    @Test("A store that loses a second process's saves is detected", arguments: Sharing.allCases)
    func secondProcess(_ sharing: Sharing) async throws {
        let rule = try #require(ConformanceRule.all.first { $0.needsHelper })
        let (base, memory) = (MemoryBackend(), MutantMemory())
        var fault = Fault()
        fault.isolation = .neverCloses
        let backend = MutantBackend(fault, base: base, memory: memory)
        let helper: HelperTask.Run = { [fault] text in
            let task = try #require(HelperTask(text))
            if sharing == .writesNothing { return HelperTask.Outcome.saved.rawValue }
            return try await task.perform {
                let isClosed = memory.withLock(\.isClosed)
                if sharing == .refusesAlways || sharing == .refusesWhileOpen && !isClosed {
                    throw CabinetError(.zoneBusy, "The store is open.")
                }
                return MutantBackend(fault, base: sharing == .opensAnotherStore ? MemoryBackend() : base)
            }.rawValue
        }
        let isKept = [.sharesRecords, .refusesWhileOpen].contains(sharing)
        do {
            try await rule.run(reopening: { backend }, helper: helper) { backend }
            #expect(isKept)
        } catch {
            #expect(!isKept, "\(error)")
        }
    }

    @Test("A store that keeps the bytes of deleted assets in its directory is detected")
    func keptBytes() async throws {
        let rule = try #require(ConformanceRule.all.first { $0.name == "deleted assets take no room" })
        let subject = ConformanceSubject.inDirectories { directory in
            var fault = Fault()
            fault.uploaded = { bytes in
                try? bytes.write(to: directory.appending(path: UUID().uuidString))
                return bytes
            }
            return MutantBackend(fault)
        }
        let failure = try await #require(throws: ConformanceFailure.self) { try await rule.run(on: subject) }
        #expect(failure.message.contains("The directory has grown by"), "\(failure)")
    }

    /// The content of a store after the calls of a helper.
    enum Crash: CaseIterable {
        case keepsAll
        case losesACall
        case keepsHalfOfACall
        case keepsTheNextCall
        case runsNothing
    }

    @Test(
        "A store that loses a call, or keeps half of one, or one that failed, is detected", arguments: Crash.allCases,
        [
            "a process that is killed loses no save that returned",
            "a commit that fails because the disk is full changes nothing",
        ])
    func crash(_ crash: Crash, ruleName: String) async throws {
        let rule = try #require(ConformanceRule.all.first { $0.name == ruleName })
        let isKilled = !ruleName.contains("full")
        let base = MemoryBackend()
        var fault = Fault()
        fault.isolation = .neverCloses
        let backend = MutantBackend(fault, base: base)
        let helper: HelperTask.Run = { text in
            let task = try #require(HelperTask(text))
            let container = try Container(
                identifier: "com.example.crash", backend: backend, account: ConformanceWorld.account)
            let (database, story) = (container.privateDatabase, SavedStory(prefix: task.prefix))
            // Killed after a list that is complete, or before one that does not fit on the disk.
            let count = isKilled ? task.count : 31
            if crash != .runsNothing { for call in 0..<count { try await story.perform(call, in: database) } }
            var returned = crash == .runsNothing ? 0 : count
            switch crash {
            case .keepsAll, .runsNothing: break
            case .losesACall: returned += 1
            case .keepsHalfOfACall: _ = try await database.save(Record("Lists", "\(task.prefix)-\(count)"))
            case .keepsTheNextCall: try await story.perform(count, in: database)
            }
            let lines = (0..<returned).map(String.init)
            return (isKilled ? lines : lines + ["full"]).joined(separator: "\n")
        }
        let isKept = crash == .keepsAll || crash == (isKilled ? .keepsTheNextCall : .runsNothing)
        do {
            try await rule.run(reopening: { backend }, helper: helper) { backend }
            #expect(isKept)
        } catch {
            #expect(!isKept, "\(error)")
        }
    }

    @Test("A fault that only an index shows is found when every field is indexed")
    func indexedTwins() async throws {
        let mutant = try #require(Mutant.all.first { $0.name.hasPrefix("cuts off the fraction") })
        let name = "whole numbers compare exactly"
        let plain = try #require(ConformanceRule.all.first { $0.name == name })
        let indexed = try #require(ConformanceRule.all.first { $0.name == "\(name), with every field indexed" })
        try await plain.run { MutantBackend(mutant.fault) }
        await #expect(throws: ConformanceFailure.self) { try await indexed.run { MutantBackend(mutant.fault) } }
    }

    @Test("No two mutants have one name")
    func namesAreUnique() {
        let all = Mutant.all + Mutant.forgetting
        #expect(Set(all.map(\.name)).count == all.count)
    }
}

extension ConformanceRule {
    /// The time after which a rule has found a fault: observing a backend that reports nothing never ends.
    var mutantTimeLimit: Duration {
        [.observation, .subscriptions].contains(family) ? .seconds(10) : .seconds(60)
    }
}
