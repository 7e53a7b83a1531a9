#if os(Linux)
import Cabinet
import CabinetTesting
import Foundation
import Testing

/// Clients that come and go for long.
@Suite("A server that runs for long", .serialized)
struct SoakTests {
    /// The resources of a server at a moment.
    private struct Sample {
        let memory: Int
        let threads: Int
        let descriptors: Int

        init(_ process: ServerProcess) throws {
            (memory, threads, descriptors) = (try process.memory, try process.threads, try process.descriptors)
        }
    }

    @Test("needs no more memory, descriptors and threads in the end than after a while")
    func soak() async throws {
        let duration = Duration.seconds(Soak.seconds ?? 12)
        let server = try await RestartedServer()
        let process = ServerProcess(id: server.processID)
        let (start, seed) = (ContinuousClock.now, Soak.seed)
        var (samples, rounds) = ([Sample](), 0)
        while start.duration(to: .now) < duration || samples.count < 4 {
            let round = rounds
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await Self.visit(server, SeededGenerator(seed: seed &+ UInt64(round * 8 + number)))
                    }
                }
                try await group.waitForAll()
            }
            rounds += 1
            // Between two rounds, when no client is connected.
            samples.append(try Sample(process))
            if rounds.isMultiple(of: 50), let last = samples.last {
                Soak.report(
                    "\(start.duration(to: .now)), \(rounds * 8) clients: \(last.memory >> 20) MB, \(last.threads) threads, "
                        + "\(last.descriptors) descriptors")
            }
        }
        let (second, fourth) = (
            samples[samples.count / 4..<samples.count / 2], samples[samples.count * 3 / 4..<samples.count]
        )
        func most(_ samples: ArraySlice<Sample>, _ value: (Sample) -> Int) -> Int { samples.map(value).max() ?? 0 }
        let (early, late) = (most(second, \.memory), most(fourth, \.memory))
        #expect(late <= early + early / 10 + (Soak.isAsked ? 8 << 20 : 32 << 20))
        #expect(most(fourth, \.threads) <= most(second, \.threads) + 4)
        #expect(most(fourth, \.descriptors) <= most(second, \.descriptors) + 16)
        Soak.report(
            "\(rounds * 8) clients in \(duration): second quarter \(early >> 20) MB, last quarter \(late >> 20) MB")
        try await server.end()
        try await server.verify()
    }

    /// Does what a client does: it follows a query, writes, reads and leaves.
    private static func visit(_ server: RestartedServer, _ generator: SeededGenerator) async throws {
        var generator = generator
        let client = try server.client()
        let database = client.privateDatabase
        var live = database.observe(
            Query(recordType: "Notes", filter: .constant(true)), limit: 10
        ).makeAsyncIterator()
        _ = try await live.next()
        for _ in 0..<8 {
            // Few records, so that the store does not grow.
            let id = RecordID(recordName: "note\(Int.random(in: 0..<200, using: &generator))")
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: try await database.deleteRecord(withID: id)
            case 1:
                _ = try await database.records(
                    matching: Query(recordType: "Notes", filter: .constant(true)), resultsLimit: 50)
            default:
                var note = Record(recordType: "Notes", recordID: id)
                note["title"] = "note \(Int.random(in: 0..<1_000, using: &generator))"
                if Int.random(in: 0..<8, using: &generator) == 0 {
                    note["file"] = Asset(
                        data: Data(repeating: UInt8.random(in: 0..<4, using: &generator), count: 100_000))
                }
                _ = try await database.save(note, savePolicy: .changedKeys)
            }
        }
        if Bool.random(using: &generator) {
            _ = try await database.recordZoneChanges(inZoneWith: .default, since: nil, resultsLimit: 20)
        }
        await client.close()
    }
}
#endif
