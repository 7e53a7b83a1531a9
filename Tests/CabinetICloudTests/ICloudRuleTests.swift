import Cabinet
import Foundation
import Testing

@testable import CabinetConformance
@testable import CabinetICloud

/// The rules through Cabinet, `CabinetICloud`, CloudKit's classes and the engine behind them.
///
/// `CABINET_RULE` chooses a rule or a family. The counts are those of all rules.
@Suite("The rules through iCloud")
struct ICloudRuleTests {
    /// The outcome of a rule.
    private enum Outcome: Hashable {
        case passed
        /// The rule sends no request, because it is about a backend.
        case aboutBackend
        /// CloudKit lacks a part of Cabinet that the rule needs, and the refusal named it.
        case refused(CloudKitGap)
        /// CloudKit's objects cannot hold what the rule expects.
        case different
        case failed(String)
    }

    /// The rules that fail although nothing is refused, because CloudKit's objects say less than Cabinet's values.
    private static let differences: [String: String] = [
        "a conflict keeps the client's asset": "an asset without a file has no identity",
        "an empty list is a value with a type": "an empty list has no type",
        "under CloudKit's limits a request has at most 400 items": "the service divides what is not atomic",
        "a strict container keeps the unknown fields of a record": "allKeys sends all fields as changed ones",
    ]

    /// The number of rules with each outcome.
    private static let counts: [Outcome: Int] = [
        .passed: 289, .aboutBackend: 118, .different: 4, .refused(.query): 115, .refused(.aggregates): 96,
        .refused(.schema): 58, .refused(.deleteRules): 51, .refused(.notifications): 23, .refused(.preconditions): 12,
        .refused(.migrations): 6, .refused(.repetition): 4, .refused(.tokens): 4, .refused(.explanations): 1,
    ]

    private static func outcome(of rule: ConformanceRule) async -> Outcome {
        let log = GapLog()
        do {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(240)) {
                try ICloudDevice.adapt($0, log: log)
            }
            return log.requests == 0 ? .aboutBackend : .passed
        } catch {
            if let gap = log.gaps.first { return .refused(gap) }
            return differences[rule.name] == nil ? .failed("\(error)") : .different
        }
    }

    @Test("pass, or name what CloudKit lacks")
    func ruleCatalog() async {
        var outcomes: [Outcome: [String]] = [:]
        await withTaskGroup(of: (String, Outcome).self) { group in
            for rule in ConformanceRule.chosen {
                group.addTask { (rule.description, await Self.outcome(of: rule)) }
            }
            for await (name, outcome) in group { outcomes[outcome, default: []].append(name) }
        }
        for case .failed(let text) in outcomes.keys { Issue.record("\(text)") }
        if ConformanceRule.chosen.count == ConformanceRule.all.count {
            #expect(outcomes.mapValues(\.count) == Self.counts)
        }
    }

    @Test("name those that CloudKit's objects cannot say")
    func names() {
        #expect(Set(Self.differences.keys).isSubset(of: ConformanceRule.all.map(\.name)))
    }
}
