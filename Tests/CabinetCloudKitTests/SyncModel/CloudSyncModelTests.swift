import Foundation
import Testing

/// No edit of a device with a `CKSyncEngine` is lost, and all devices end with the notes of the store.
///
/// `make model ROUNDS=100` tries more seeds, and `CABINET_MODEL_SEED=7` one alone.
@Suite("Sync model of CKSyncEngine")
struct CloudSyncModelTests {
    private static let seeds: ClosedRange<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CABINET_MODEL_SEED"].flatMap(UInt64.init) { return seed...seed }
        return 1...(40 * max(environment["CABINET_MODEL_ROUNDS"].flatMap(UInt64.init) ?? 1, 1))
    }()

    @Test("Every edit of every device reaches the store, and all devices agree")
    func devices() async throws {
        for seed in Self.seeds {
            let failure = try await CloudSyncModel(seed: seed).run()
            #expect(failure == nil, "CABINET_MODEL_SEED=\(seed): \(failure ?? "")")
            if failure != nil { return }
        }
    }

    @Test("The model finds faults", .timeLimit(.minutes(15)), arguments: CloudSyncFault.allCases)
    func findsFaults(of fault: CloudSyncFault) async throws {
        for seed: UInt64 in 1...500 where try await CloudSyncModel(seed: seed, fault: fault).run() != nil { return }
        Issue.record("The model did not find an engine that \(fault.rawValue).")
    }

    @Test("A seed always does the same")
    func replay() async throws {
        var logs: Set<[String]> = []
        for _ in 0..<3 {
            let model = CloudSyncModel(seed: 3)
            _ = try await model.run()
            logs.insert(await model.log)
        }
        #expect(logs.count == 1)
    }
}
