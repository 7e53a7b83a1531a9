import Cabinet
import Foundation
import Testing

@testable import CabinetConformance
@testable import CabinetICloud

/// The rules through Cabinet, `CabinetICloud`, CloudKit's classes and the engine behind them.
@Suite("The rules through iCloud")
struct ICloudRuleTests {
    /// The outcome of a rule.
    private enum Outcome: Hashable {
        case passed
        case needsBackendAlone
        case refused(CloudKitGap)
        case failed(String)
    }

    private static func outcome(of rule: ConformanceRule) async -> Outcome {
        let log = GapLog()
        do {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(240)) {
                try ICloudDevice.adapt($0, log: log)
            }
            return log.requests == 0 ? .needsBackendAlone : .passed
        } catch {
            if let gap = log.gaps.first { return .refused(gap) }
            return .failed("\(error)")
        }
    }

    @Test("pass, or name what CloudKit lacks")
    func catalog() async {
        var outcomes: [String: Outcome] = [:]
        await withTaskGroup(of: (String, Outcome).self) { group in
            for rule in ConformanceRule.chosen {
                group.addTask { (rule.description, await Self.outcome(of: rule)) }
            }
            for await (name, outcome) in group { outcomes[name] = outcome }
        }
        let counts = Dictionary(outcomes.values.map { ($0, 1) }, uniquingKeysWith: +)
        for (name, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
            if case .failed(let text) = outcome { print("FAULT \(name): \(text)") }
            if case .refused(let gap) = outcome { print("GAP \(gap) \(name)") }
        }
        for (outcome, count) in counts {
            if case .failed = outcome { continue }
            print("COUNT \(outcome): \(count)")
        }
    }
}
