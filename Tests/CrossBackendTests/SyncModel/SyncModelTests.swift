import Foundation
import Testing

/// No edit of a device is lost, no old one returns, and all devices end with the notes of the store.
///
/// Edits, kills, conflicts and faults happen at every moment of a send and a fetch.
///
/// `make model ROUNDS=100` tries more seeds, and `CABINET_MODEL_SEED=7` one alone.
@Suite("Sync model")
struct SyncModelTests {
    private static let seedsPerRound: UInt64 = 40

    private static let seeds: [ClosedRange<UInt64>] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CABINET_MODEL_SEED"].flatMap(UInt64.init) { return [seed...seed] }
        let rounds = environment["CABINET_MODEL_ROUNDS"].flatMap(UInt64.init) ?? 1
        return (0..<max(rounds, 1)).map { ($0 * seedsPerRound + 1)...(($0 + 1) * seedsPerRound) }
    }()

    @Test("Every edit of every device reaches the store, and all devices agree", arguments: seeds)
    func devices(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds {
            let failure = try await SyncModel(seed: seed).run()
            #expect(failure == nil, "CABINET_MODEL_SEED=\(seed): \(failure ?? "")")
            if failure != nil { return }
        }
    }

    @Test("The model finds faults", .timeLimit(.minutes(15)), arguments: SyncFault.allCases)
    func findsFaults(of fault: SyncFault) async throws {
        for seed: UInt64 in 1...500 where try await SyncModel(seed: seed, fault: fault).run() != nil { return }
        Issue.record("The model did not find an engine that \(fault.rawValue).")
    }

    @Test("A seed always does the same")
    func replay() async throws {
        var failures: [String?] = []
        for _ in 0..<2 {
            let model = try SyncModel(seed: 3)
            _ = try await model.run()
            failures.append(await model.log.joined(separator: "\n"))
        }
        #expect(failures[0] == failures[1])
    }
}
