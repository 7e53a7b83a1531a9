import Cabinet
import CabinetPostgres
import Foundation
import PostgresTestSupport
import Testing

@Suite("Several PostgreSQL servers behind one container")
struct RoutingTests {
    @Test("1,000 private databases on two servers, one of them moved while eight processes write to it")
    func thousand() async throws {
        let (first, second) = (try await PostgresServer.shared.value, try await PostgresServer(isDurable: false))
        let configuration = Stores.configuration()
        @Sendable func process() throws -> RoutingBackend {
            let berlin = try PostgresBackend(connection: first.connection(), configuration: configuration)
            let paris = try PostgresBackend(connection: second.connection(), configuration: configuration)
            return try RoutingBackend(
                stores: ["berlin": berlin, "paris": paris], directory: StoredDirectory(in: berlin))
        }
        let backend = try process()
        @Sendable func database(_ number: Int, _ backend: RoutingBackend) throws -> Database {
            try Container(
                identifier: "com.example.many", backend: backend, account: Account(userRecordName: "_user\(number)")
            ).privateDatabase
        }
        try await withThrowingTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in stride(from: worker, to: 1000, by: 8) {
                        try await database(number, backend).save(Record("Items", "a", number))
                    }
                }
            }
            try await group.waitForAll()
        }
        let user = DatabaseKey.private(owner: "_user7")
        let home = try await backend.home(of: user)?.name
        let old = (0..<2000).map { Record("Items", "old-\($0)", $0) }
        _ = try await database(7, backend).modifyRecords(saving: old, deleting: [])
        let saves = 60
        let report = try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    let backend = try process()
                    let database = try database(7, backend)
                    for number in 0..<saves {
                        try await database.save(Record("Items", "\(writer)-\(number)", number))
                        while true {
                            var counter = try await database.record(for: RecordID(recordName: "a"))
                            counter["number"] = (counter["number"] as? Int ?? 0) + 1
                            do {
                                try await database.save(counter)
                                break
                            } catch CabinetError.Code.serverRecordChanged {}
                        }
                    }
                    await backend.close()
                }
            }
            let report = try await backend.move(user, to: home == "berlin" ? "paris" : "berlin")
            try await group.waitForAll()
            return report
        }
        // The move was noticed by all, and nothing is lost or there twice.
        #expect(report.pause < .seconds(10))
        let other = try process()
        let moved = try database(7, other)
        #expect(try await backend.home(of: user)?.name != home)
        let all = Query(recordType: "Items", filter: .constant(true))
        #expect(try await moved.count(matching: all) == old.count + 8 * saves + 1)
        #expect(
            try await moved.record(for: RecordID(recordName: "a"))["number"] as? Int == 7 + 8 * saves)
        var counts: [String: Int] = [:]
        for number in 0..<1000 {
            let name = try await backend.home(of: .private(owner: "_user\(number)"))?.name ?? ""
            counts[name, default: 0] += 1
            if number == 7 { continue }
            let record = try await database(number, backend).record(for: RecordID(recordName: "a"))
            #expect(record["number"] as? Int == number)
        }
        #expect(counts["berlin", default: 0] > 400 && counts["paris", default: 0] > 400, "\(counts)")
        await other.close()
        await backend.close()
    }
}

extension Record {
    fileprivate init(_ type: String, _ name: String, _ number: Int) {
        self.init(recordType: type, recordID: RecordID(recordName: name))
        self["number"] = number
    }
}
