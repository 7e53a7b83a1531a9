import Cabinet
import CabinetPostgres
import Foundation
import PostgresTestSupport
import Testing

/// Connections that break during a commit.
@Suite struct LostAnswerTests {
    private func withProxy(
        limit: Duration = .seconds(20), _ body: (CuttingProxy, PostgresBackend, Database) async throws -> Void
    ) async throws {
        let proxy = try CuttingProxy(before: try await PostgresServer.shared.value)
        defer { proxy.close() }
        var configuration = Stores.configuration()
        configuration.reconnectionTimeLimit = limit
        let backend = try PostgresBackend(connection: proxy.connection, configuration: configuration)
        let database = try Container(identifier: "com.example.cuts", backend: backend).privateDatabase
        var first = Record(recordType: "Items", recordID: RecordID(recordName: "first"))
        first["number"] = 0
        try await database.save(first)
        try await body(proxy, backend, database)
        await backend.close()
    }

    @Test(
        "A save is saved once, wherever the connection is cut",
        arguments: [CuttingProxy.Cut.beforeCommit, .afterCommit], [1, 3])
    func cut(_ cut: CuttingProxy.Cut, times: Int) async throws {
        try await withProxy { proxy, _, database in
            proxy.plan(Array(repeating: cut, count: times))
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "second"))
            record["number"] = 1
            let saved = try await database.save(record)
            #expect(proxy.cuts == (cut == .beforeCommit ? times : 1))
            let stored = try await database.record(for: record.recordID)
            #expect(stored.recordChangeTag == saved.recordChangeTag)
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
            #expect(changes.modificationResultsByID.count == 2)
            // Unused cuts remain, because cutting one completed commit is enough.
            proxy.plan([])
        }
    }

    @Test("A save that has failed because of a wrong assumption before the connection is cut runs again")
    func cutAfterFailure() async throws {
        let server = try await PostgresServer.shared.value
        let proxy = try CuttingProxy(before: server)
        defer { proxy.close() }
        let configuration = Stores.configuration()
        let backends = try [proxy.connection, server.connection()].map {
            try PostgresBackend(connection: $0, configuration: configuration)
        }
        let databases = try backends.map { try Container(identifier: "com.example.cuts", backend: $0).privateDatabase }
        func save(_ name: String, by process: Int) async throws {
            try await databases[process].save(Record(recordType: "Items", recordID: RecordID(recordName: name)))
        }
        for name in ["a", "b"] { try await save(name, by: 0) }
        // The next save of the first process assumes that no other one has written.
        try await save("c", by: 1)
        proxy.plan([.afterFailure])
        try await save("d", by: 0)
        #expect(proxy.cuts == 1)
        let changes = try await databases[1].recordZoneChanges(inZoneWith: .default, since: nil)
        #expect(changes.modificationResultsByID.keys.map(\.recordName).sorted() == ["a", "b", "c", "d"])
        for backend in backends { await backend.close() }
    }

    @Test("An unknown outcome is reported as unknown")
    func unknownOutcome() async throws {
        try await withProxy(limit: .milliseconds(300)) { proxy, _, database in
            proxy.plan([.afterCommit, .always])
            let error = await #expect(throws: CabinetError.self) {
                try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "second")))
            }
            #expect(error?.code == .serverResponseLost)
            proxy.plan([])
            _ = try await database.record(for: RecordID(recordName: "second"))
        }
    }

    @Test("A write that is cut before its commit runs again, on the latest state")
    func lostUpdates() async throws {
        try await withProxy { proxy, backend, _ in
            let id = RecordID(recordName: "first")
            try await backend.write(.private(owner: "x")) { transaction in
                try await transaction.add([StoredField(name: "count", type: .int64)], to: "Counters")
                try await transaction.insert([counter(id, 0)])
            }
            proxy.plan([.beforeCommit, .never, .afterCommit, .beforeCommit, .afterCommit, .never, .beforeCommit])
            var rounds: Int64 = 0
            // Concurrent saves need few commits.
            while proxy.cuts < 5, rounds < 20 {
                rounds += 1
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try await backend.write(.private(owner: "x")) { transaction in
                                let found = try await transaction.records(for: [id], keys: nil)[0]
                                guard case .int64(let count)? = found?.fields["count"] else { return }
                                try await transaction.update([counter(id, count + 1)])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let found = try await backend.read(.private(owner: "x")) { try await $0.records(for: [id], keys: nil) }
            #expect(found[0]?.fields["count"] == .int64(8 * rounds))
            #expect(proxy.cuts == 5)
        }
    }
}

private func counter(_ id: RecordID, _ value: Int64) -> StoredRecord {
    StoredRecord(
        recordID: id, recordType: "Counters", sequenceNumber: value + 1, creationDate: Date(), creatorName: "x",
        modificationDate: Date(), lastModifierName: "x",
        fields: FieldValues(names: FieldNames(["count"]), values: [.int64(value)]))
}
