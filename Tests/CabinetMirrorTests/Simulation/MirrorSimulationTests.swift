import Cabinet
import Foundation
import Testing

/// No acknowledged edit is lost, no old one returns, and all devices end with what the server has.
///
/// `make simulate` tries 10,000 seeds, `make simulate SEEDS=501-1000` some of these, and `CABINET_SIMULATION_SEED=7` one alone.
@Suite("Mirror simulation")
struct MirrorSimulationTests {
    private static let seedsPerCase: UInt64 = 5

    private static let seeds: [ClosedRange<UInt64>] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CABINET_SIMULATION_SEED"].flatMap(UInt64.init) { return [seed...seed] }
        let bounds = (environment["CABINET_SIMULATION_SEEDS"] ?? "75").split(separator: "-").compactMap { UInt64($0) }
        let first = bounds.count > 1 ? bounds[0] : 1
        let last = max(bounds.last ?? 1, first)
        return stride(from: first, through: last, by: Int(seedsPerCase)).map { $0...min($0 + seedsPerCase - 1, last) }
    }()

    @Test("Every edit reaches the server once, and all devices agree", arguments: seeds)
    func devices(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds {
            let failure = try await MirrorSimulation(seed: seed).run()
            #expect(failure == nil, "CABINET_SIMULATION_SEED=\(seed): \(failure ?? "")")
            if failure != nil { return }
        }
    }

    /// Each has shown a fault that the seeds of every run do not show.
    ///
    /// An effect of a deletion stayed pending in a lost zone (1025 and 1873). Two records waited for each other (2454 and 1485). An
    /// earlier edit, which was sent last, replaced a later one after the loss of its zone (760).
    @Test("Seeds that have failed before", arguments: [1025, 1873, 2454, 1485, 760] as [UInt64])
    func earlierFailures(seed: UInt64) async throws {
        let failure = try await MirrorSimulation(seed: seed).run()
        #expect(failure == nil, "CABINET_SIMULATION_SEED=\(seed): \(failure ?? "")")
    }

    #if !canImport(Darwin)
    @Test("The same holds for mirrors of iCloud", arguments: seeds)
    func devicesOfICloud(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds {
            let failure = try await MirrorSimulation(seed: seed, of: .iCloud).run()
            #expect(failure == nil, "CABINET_SIMULATION_SEED=\(seed), iCloud: \(failure ?? "")")
            if failure != nil { return }
        }
    }
    #endif

    @Test("The simulation finds faults", .timeLimit(.minutes(15)), arguments: MirrorFault.allCases)
    func findsFaults(of fault: MirrorFault) async throws {
        for seed: UInt64 in 1...500 where try await MirrorSimulation(seed: seed, fault: fault).run() != nil { return }
        Issue.record("The simulation did not find a mirror that \(fault.rawValue).")
    }

    @Test("The store of a simulation has the records that a cascade deletes in an order")
    func cascade() async throws {
        let store = MemoryBackend()
        let container = try Container(
            identifier: MirrorSimulation.container, backend: store, account: MirrorSimulation.account)
        let list = try await container.privateDatabase.save(Record(recordType: "Lists"))
        let notes = (0..<50).map { number in
            var note = Record(recordType: "Notes", recordID: RecordID(recordName: "n\(number)"))
            note["list"] = Reference(record: list, action: .deleteSelf)
            return note
        }
        try await container.privateDatabase.save(notes)
        let database = DatabaseKey.private(owner: MirrorSimulation.account.userRecordName)
        let sources = try await store.read(database) { try await $0.references(to: [list.recordID]).map(\.source) }
        #expect(sources == notes.map(\.recordID))
    }

    /// A seed of each database, several times; more of them if more seeds are tried.
    private static let replayed: [UInt64] = Array(1...UInt64(max(seeds.count, 12)))

    @Test("A seed always does the same, in every database", arguments: RemoteKind.allCases, replayed)
    func replay(of kind: RemoteKind, seed: UInt64) async throws {
        let (first, second) = (try await log(of: kind, seed), try await log(of: kind, seed))
        guard let difference = zip(first, second).enumerated().first(where: { $1.0 != $1.1 })?.offset else {
            return #expect(first.count == second.count, "seed \(seed) of \(kind)")
        }
        let events = [first, second].map { $0[max(difference - 5, 0)...difference].joined(separator: "\n") }
        Issue.record("Event \(difference) of seed \(seed) of \(kind) is once\n\(events[0])\nand then\n\(events[1])")
    }

    private func log(of kind: RemoteKind, _ seed: UInt64) async throws -> [String] {
        let simulation = try MirrorSimulation(seed: seed, of: kind)
        _ = try await simulation.run()
        return await simulation.log
    }
}
