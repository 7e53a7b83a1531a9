import Cabinet
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// The table locks of reads that last.
@Suite struct LockReleaseTests {
    /// Waits until a number of locks on a table is reached.
    private func wait(until isReached: (Int64) -> Bool, of table: String, _ admin: Connection) async throws {
        while true {
            let locks = try admin.query(
                "SELECT count(*) FROM pg_locks WHERE relation = $1::text::regclass", [.text(table)])
            if let count = locks.first?.integer(0), isReached(count) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test(
        "A read that is not used holds no locks, and wakes nothing; one that is used again releases them again",
        .timeLimit(.minutes(15)))
    func release() async throws {
        let configuration = Stores.configuration()
        let backend = try await Stores.backend(configuration)
        try await backend.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("a", [("x", .int64(0))])])
        }
        let server = try await PostgresServer.shared.value.connection()
        let admin = try Connection(ConnectionParameters(server), configuration: configuration)
        let table = "\"\(configuration.schema)\".\"Items\""
        let snapshots = ActiveSnapshots()
        let pooled = PooledConnection(
            number: 1, parameters: try ConnectionParameters(server), configuration: configuration)
        try await withTaskExecutorPreference(pooled.executor) {
            let view = try await backend.starter.reading(.public, on: try await pooled.connected())
            let session = Session(view, in: snapshots)
            snapshots.add(session, of: backend.starter.name(of: .public))
            for _ in 0..<3 {
                _ = try await PostgresSnapshot(session: session).records(for: [RecordID(recordName: "a")], keys: nil)
                try await wait(until: { $0 == 0 }, of: table, admin)
                while snapshots.isWatching { try await Task.sleep(for: .milliseconds(20)) }
                #expect(!session.isWatched)
            }
            snapshots.remove(session)
            #expect(await session.endReading() == nil)
            pooled.close()
        }
        await backend.close()
    }
}
