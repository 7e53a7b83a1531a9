import Cabinet
import Foundation
import Testing

@testable import CabinetPostgres

/// Writers that save records to a database each, and the saves that have returned.
actor SavingLoad {
    private let makeBackend: @Sendable () throws -> PostgresBackend
    private(set) var acknowledged: [DatabaseKey: [String: String]] = [:]
    private(set) var failures: [String] = []
    private(set) var longestGap = Duration.zero
    private var last = ContinuousClock.now
    private var isOver = false

    init(_ makeBackend: @escaping @Sendable () throws -> PostgresBackend) {
        self.makeBackend = makeBackend
    }

    private func add(_ record: Record, to database: DatabaseKey) {
        acknowledged[database, default: [:]][record.recordID.recordName] = record.recordChangeTag
        let now = ContinuousClock.now
        longestGap = max(longestGap, now - last)
        last = now
    }

    private func fail(_ error: any Error) { failures.append("\(error)") }

    private var count: Int { acknowledged.values.reduce(0) { $0 + $1.count } }

    private func end() { isOver = true }

    /// Waits until more saves have returned.
    func waitForMore(_ number: Int) async throws {
        let goal = count + number
        while count < goal { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Saves records in several databases, each by two backends, while a closure runs.
    func run(during body: @Sendable () async throws -> Void) async throws {
        let backends = [try makeBackend(), try makeBackend()]
        var users: [(DatabaseKey, Database)] = []
        for backend in backends {
            for owner in ["_a", "_b", "_c"] {
                let container = try Container(
                    identifier: "com.example.load", backend: backend, account: Account(userRecordName: owner))
                users.append((.private(owner: owner), container.privateDatabase))
            }
        }
        for (_, database) in users { try await database.save(RecordZone(zoneName: "Zone")) }
        last = .now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (writer, (key, database)) in users.enumerated() {
                group.addTask {
                    var number = 0
                    while await !self.isOver {
                        number += 1
                        var record = Record(
                            recordType: "Items", recordID: RecordID(recordName: "\(writer)-\(number)"))
                        record["number"] = number
                        do {
                            await self.add(try await database.save(record), to: key)
                        } catch {
                            await self.fail(error)
                        }
                    }
                }
            }
            try await body()
            end()
            try await group.waitForAll()
        }
        for backend in backends { await backend.close() }
    }

    /// Expects that each database has exactly the saved records, each once, with the tags that the saves returned.
    func check(_ comment: String) async throws {
        let backend = try makeBackend()
        var lost = 0
        for (key, tags) in acknowledged {
            guard case .private(let owner) = key else { continue }
            let container = try Container(
                identifier: "com.example.load", backend: backend, account: Account(userRecordName: owner))
            let records = try await container.privateDatabase.allRecords(matching: Query(recordType: "Items"))
            let stored = Dictionary(
                records.map { ($0.recordID.recordName, $0.recordChangeTag) }, uniquingKeysWith: { first, _ in first })
            lost += tags.filter { stored[$0.key] != $0.value }.count
            #expect(stored.count == records.count)
            #expect(Set(stored.values).count == records.count, "a change tag was given twice")
            if failures.isEmpty { #expect(stored.count == tags.count) }
        }
        #expect(lost == 0)
        print("\(comment): \(count) acknowledged, \(lost) lost, \(failures.count) failed, longest gap \(longestGap)")
        await backend.close()
    }
}
