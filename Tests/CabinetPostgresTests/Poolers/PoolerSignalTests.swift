import Cabinet
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// Signals behind poolers, and those whose announcement is lost.
@Suite(.timeLimit(.minutes(15))) struct PoolerSignalTests {
    /// Waits for signals until a listener hears, or does not.
    private func wait(until hears: Bool, _ backend: PostgresBackend) async throws {
        while backend.listener.hears != hears { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Returns whether each of some writes by one backend signals in another one.
    private func expectSignals(
        from writer: PostgresBackend, to reader: PostgresBackend, listens: Bool
    ) async throws {
        let key = DatabaseKey.private(owner: "anna")
        let stream = reader.changeSignals(of: key)
        if listens { try await wait(until: true, reader) }
        for round in 0..<3 {
            // The first signals come with the observation.
            try await writer.write(key) { try await $0.add([], to: "Type\(round)") }
            var count = 0
            for await _ in stream {
                count = try await reader.read(key) { try await $0.schema() }.recordTypes.count
                if count == round + 1 { break }
            }
            #expect(count == round + 1)
        }
        #expect(reader.listener.hears == listens)
    }

    @Test("A pooler is noticed, in each of its modes")
    func detection() async throws {
        let direct = try await PostgresServer.shared.value.connection()
        let program = try PgBouncer(before: try await PostgresServer.shared.value, mode: .transaction)
        defer { program.close() }
        for (connection, isPooled) in [
            (direct, false), (try await Poolers.session.value.connection, true), (program.connection, true),
        ] {
            let opened = try Connection(ConnectionParameters(connection), configuration: Stores.configuration())
            #expect(opened.isPooled == isPooled)
            // Behind a pooler, the settings would belong to a connection that another client gets.
            let path = try opened.query("SHOW search_path", isPrepared: false).first?.text(0)
            #expect((path == "pg_catalog") == !isPooled)
            try opened.begin("READ COMMITTED")
            #expect(try opened.query("SHOW search_path", isPrepared: false).first?.text(0) == "pg_catalog")
            #expect(try opened.query("SHOW random_page_cost", isPrepared: false).first?.text(0) == "1.1")
            try opened.rollback()
        }
    }

    @Test("Behind a session pooler, writes of another backend signal through the pooler")
    func session() async throws {
        let configuration = Stores.configuration()
        let writer = try await Poolers.backend(.session, configuration)
        let reader = try await Poolers.backend(.session, configuration)
        try await expectSignals(from: writer, to: reader, listens: true)
        await writer.close()
        await reader.close()
    }

    @Test(
        "Behind a transaction pooler, writes of another backend signal past the pooler",
        .enabled(if: Poolers.hasTransactionMode, "PgBouncer 1.21 or later is not installed: see make test-poolers"))
    func transaction() async throws {
        let configuration = Stores.configuration()
        let writer = try await Poolers.backend(.transaction, configuration)
        let reader = try await Poolers.backend(.transaction, configuration)
        try await expectSignals(from: writer, to: reader, listens: true)
        await writer.close()
        await reader.close()
    }

    @Test("A listener that a pooler keeps from hearing finds changes by their numbers")
    func deaf() async throws {
        let server = try await PostgresServer.shared.value
        let pooler = try PgBouncer(before: server, mode: .transaction)
        defer { pooler.close() }
        var configuration = Stores.configuration()
        // The limit for a listener that does not hear applies instead.
        configuration.changeCheckInterval = .seconds(1000)
        let writer = try await Stores.backend(configuration)
        let reader = try PostgresBackend(
            connection: server.connection(), listeningConnection: pooler.connection, configuration: configuration)
        try await expectSignals(from: writer, to: reader, listens: false)
        await writer.close()
        await reader.close()
    }

    @Test("A change whose process is killed before it announces it is found by its number")
    func lostAnnouncement() async throws {
        var configuration = Stores.configuration()
        configuration.changeCheckInterval = .milliseconds(200)
        let server = try await PostgresServer.shared.value
        let proxy = try CuttingProxy(before: server)
        defer { proxy.close() }
        // No announcement passes.
        proxy.withhold("pg_notify")
        let reader = try await Stores.backend(configuration)
        let database = try Container(identifier: "org.cabinet.saving-process", backend: reader).privateDatabase
        let key = try #require(try await savedDatabase(configuration.schema, by: "first", proxy, reader))
        let stream = reader.changeSignals(of: key)
        try await wait(until: true, reader)
        _ = try await savedDatabase(configuration.schema, by: "second", proxy, reader)
        for await _ in stream where try await database.exists(matching: Query(recordType: "Items")) {
            let found = try? await database.record(for: RecordID(recordName: "second-0"))
            if found != nil { break }
        }
        #expect(proxy.withheldCount >= 2)
        await reader.close()
    }

    /// Has a process save a record, and kills it while its announcement is withheld.
    private func savedDatabase(
        _ schema: String, by prefix: String, _ proxy: CuttingProxy, _ reader: PostgresBackend
    ) async throws -> DatabaseKey? {
        let before = proxy.withheldCount
        let process = try SavingProcess([proxy.connection, prefix, "forever"], schema: schema)
        while proxy.withheldCount == before { try await Task.sleep(for: .milliseconds(5)) }
        process.kill()
        _ = process.finish()
        return try await reader.databases().first
    }
}
