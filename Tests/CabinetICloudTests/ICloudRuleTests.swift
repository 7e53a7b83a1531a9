import Cabinet
import Foundation
import Testing

@testable import CabinetConformance
@testable import CabinetICloud

/// The rules through Cabinet, `CabinetICloud`, CloudKit's classes and the engine behind them.
///
/// `CABINET_RULE` chooses a rule or a family. The counts are those of all rules.
@Suite("The rules through iCloud", .serialized)
struct ICloudRuleTests {
    /// The outcome of a rule.
    private enum Outcome: Hashable {
        case passed
        /// The rule sends no request, because it is about a backend.
        case aboutBackend
        /// CloudKit lacks a part of Cabinet that the rule needs, and the refusal named it.
        case refused(CloudKitGap)
        /// CloudKit's classes have refused what CloudKit refuses, such as the changes of the default zone.
        case refusedByClasses
        /// CloudKit's objects say less than Cabinet's values.
        case different
        case failed(String)
    }

    /// The rules that fail although nothing is refused.
    private static let differences: [String: String] = [
        "a conflict keeps the client's asset": "an asset without a file has no identity",
        "an empty list is a value with a type": "an empty list has no type",
        "under CloudKit's limits a request has at most 400 items": "the service divides what is not atomic",
        "a participant of a hierarchy sees the share, the root and what is below it": "a fetched share names no root",
        "a strict container keeps the unknown fields of a record": "allKeys sends all fields as changed ones",
    ]

    /// The further rules that fail if the classes behave as CloudKit does.
    private static let strictDifferences: [String: String] = [
        "one failure changes nothing in an atomic batch": "the default zone is not atomic",
        "every kind of failure fails an atomic batch": "the default zone is not atomic",
        "a record cannot be saved with a reference to a deleted one": "the default zone is not atomic",
        "a failure stays in its zone": "the default zone is not atomic",
        "a recreated zone is observed": "the default zone is saved apart from the others",
        "a batch in several zones is reported zone by zone": "the default zone has no changes",
        "a database reports the zones that changed": "the default zone has no changes",
        "an unknown zone is zoneNotFound": "deleting an unknown zone succeeds",
        "one zone's failure does not affect another": "deleting an unknown zone succeeds",
        "no call changes another user's private records": "deleting an unknown zone succeeds",
    ]

    /// The number of rules with each outcome.
    private static let counts: [Outcome: Int] = [
        .passed: 323, .aboutBackend: 122, .different: 5, .refused(.query): 119, .refused(.aggregates): 116,
        .refused(.schema): 67, .refused(.deleteRules): 54, .refused(.notifications): 26, .refused(.preconditions): 15,
        .refused(.encryption): 22, .refused(.migrations): 6, .refused(.repetition): 4,
        .refused(.tokens): 5, .refused(.oneTimeURLs): 4, .refused(.accessRequests): 3, .refused(.explanations): 1,
    ]

    private static func outcome(of rule: ConformanceRule, isStrict: Bool) async -> Outcome {
        if rule.sendsNoRequest { return .aboutBackend }
        let log = GapLog()
        do {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(600)) {
                try ICloudDevice.adapt($0, isStrict: isStrict, log: log)
            }
            return log.requests == 0 ? .aboutBackend : .passed
        } catch {
            if let gap = log.gaps.first { return .refused(gap) }
            if log.isRefusedByClasses { return .refusedByClasses }
            let isKnown = differences[rule.name] != nil || isStrict && strictDifferences[rule.name] != nil
            return isKnown ? .different : .failed("\(error)")
        }
    }

    private static func outcomes(isStrict: Bool) async -> [Outcome: Int] {
        var counts: [Outcome: Int] = [:]
        await withTaskGroup(of: Outcome.self) { group in
            for rule in ConformanceRule.chosen {
                group.addTask { await Self.outcome(of: rule, isStrict: isStrict) }
            }
            for await outcome in group { counts[outcome, default: 0] += 1 }
        }
        for case .failed(let text) in counts.keys { Issue.record("\(text)") }
        return counts
    }

    @Test("pass, or name what CloudKit lacks")
    func ruleCatalog() async {
        let outcomes = await Self.outcomes(isStrict: false)
        if ConformanceRule.chosen.count == ConformanceRule.all.count { #expect(outcomes == Self.counts) }
    }

    @Test("pass, or are refused, if the classes refuse what CloudKit refuses")
    func ruleCatalogAsInCloudKit() async {
        let outcomes = await Self.outcomes(isStrict: true)
        guard ConformanceRule.chosen.count == ConformanceRule.all.count else { return }
        #expect(outcomes[.passed] == 262)
        #expect(outcomes[.refusedByClasses] == 79)
        #expect(outcomes[.different] == Self.differences.count + Self.strictDifferences.count)
    }

    @Test("name those that CloudKit's objects cannot say")
    func names() {
        let names = Set(Self.differences.keys).union(Self.strictDifferences.keys)
        #expect(names.isSubset(of: ConformanceRule.all.map(\.name)))
    }
}
