import Foundation
import Testing

@testable import CabinetTools

/// After any changes and interruptions, an imported database equals the exported one.
///
/// `make model ROUNDS=100` makes up more runs; `CABINET_MODEL_SEED=7` runs that seed alone.
@Suite("Model of export and import", .timeLimit(.minutes(30)))
struct TransferModelTests {
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CABINET_MODEL_SEED"].flatMap(UInt64.init) { return [seed] }
        let rounds = environment["CABINET_MODEL_ROUNDS"].flatMap(UInt64.init) ?? 1
        return Array(1...(40 * max(rounds, 1)))
    }()

    @Test("The imported database equals the exported one", arguments: TransferModel.Stores.allCases)
    func agreement(on stores: TransferModel.Stores) async throws {
        var interruptions = 0
        for seed in Self.seeds {
            do {
                interruptions += try await TransferModel(seed: seed, on: stores).run()
            } catch {
                Issue.record("CABINET_MODEL_SEED=\(seed): \(error)")
            }
        }
        if Self.seeds.count > 1 { #expect(interruptions > Self.seeds.count) }
    }

    @Test("The model finds mistakes", arguments: TransferModel.Mistake.allCases)
    func findsMistakes(_ mistake: TransferModel.Mistake) async throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            do {
                let stores: TransferModel.Stores = mistake == .forgottenRequest ? .service : .memory
                _ = try await TransferModel(seed: seed, mistake: mistake, on: stores).run()
            } catch {
                return
            }
        }
        Issue.record("The model did not find the mistake.")
    }
}
