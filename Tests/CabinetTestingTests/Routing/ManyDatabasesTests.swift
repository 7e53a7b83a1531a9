import Cabinet
import CabinetSQLite
import Foundation
import Testing

@testable import CabinetTesting

@Suite("Many databases on two servers")
struct ManyDatabasesTests {
    @Test("1,000 private databases on two SQLite stores, one of them moved while it is written")
    func manyDatabases() async throws {
        try await TemporaryDirectory.with { directory in
            for name in ["berlin", "paris"] {
                try FileManager.default.createDirectory(
                    at: directory.appending(path: name), withIntermediateDirectories: true)
            }
            // A loss of power is not what this is about.
            let configuration = SQLiteConfiguration(durability: .normal)
            let berlin = SQLiteBackend(directory: directory.appending(path: "berlin"), configuration: configuration)
            let paris = SQLiteBackend(directory: directory.appending(path: "paris"), configuration: configuration)
            @Sendable func process() throws -> RoutingBackend {
                try RoutingBackend(
                    stores: ["berlin": berlin, "paris": paris], directory: StoredDirectory(in: berlin))
            }
            let backend = try process()
            try await withThrowingTaskGroup { group in
                for worker in 0..<8 {
                    group.addTask {
                        for number in stride(from: worker, to: 1000, by: 8) {
                            let container = try CopySamples.container(backend, user: "_user\(number)")
                            try await container.privateDatabase.saveAll([
                                Record("Items", "a", ["number": number]), Record("Items", "b"),
                            ])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let report = try await MovingLoad(
                user: "_user7", saves: 100, mover: backend, process: { try process() }
            ).run()
            // Nobody has waited for long.
            #expect(report.pause < .seconds(10))
            var counts: [String: Int] = [:]
            for number in 0..<1000 {
                let database = try CopySamples.container(backend, user: "_user\(number)").privateDatabase
                #expect(try await database.fetch("a")["number"] as? Int == number)
                counts[try await backend.home(of: .private(owner: "_user\(number)"))?.name ?? "", default: 0] += 1
            }
            #expect(counts["berlin", default: 0] + counts["paris", default: 0] == 1000)
            #expect(counts.values.allSatisfy { $0 > 400 }, "\(counts)")
            #expect(try await backend.databases().count == 1000)
            await backend.close()
        }
    }
}

/// Eight that save to a database which is moved meanwhile, and look at what is there in the end.
struct MovingLoad: Sendable {
    let user: String
    /// How many records each of them saves.
    let saves: Int
    let mover: RoutingBackend
    /// Gives each of them a process of its own.
    let process: @Sendable () throws -> RoutingBackend

    func run() async throws -> MoveReport {
        let key = DatabaseKey.private(owner: user)
        let first = try CopySamples.container(mover, user: user).privateDatabase
        try await first.save(Record("Items", "counter", ["number": 0]))
        try await first.saveAll((0..<2000).map { Record("Items", "old-\($0)") })
        let before = try await first.itemCount()
        let report = try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    let database = try CopySamples.container(process(), user: user).privateDatabase
                    for number in 0..<saves {
                        try await database.save(Record("Items", "\(writer)-\(number)"))
                        try await count(in: database)
                    }
                }
            }
            let name = try await mover.home(of: key)?.name == "berlin" ? "paris" : "berlin"
            let report = try await mover.move(key, to: name)
            #expect(try await mover.home(of: key)?.name == name)
            try await group.waitForAll()
            return report
        }
        // Nothing is lost, and nothing is there twice.
        #expect(try await first.itemCount() == before + 8 * saves)
        #expect(try await first.fetch("counter")["number"] as? Int == 8 * saves)
        return report
    }

    /// Adds one to what several add to.
    private func count(in database: Database) async throws {
        while true {
            var counter = try await database.fetch("counter")
            counter["number"] = (counter["number"] as? Int ?? 0) + 1
            do {
                try await database.save(counter)
                return
            } catch CabinetError.Code.serverRecordChanged {}
        }
    }
}
