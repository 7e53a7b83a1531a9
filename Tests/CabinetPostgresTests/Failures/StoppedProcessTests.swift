import Cabinet
import CabinetPostgres
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Testing

/// A program that is stopped in the middle of a write, as by SIGSTOP or when its machine is suspended.
@Suite(.timeLimit(.minutes(15))) struct StoppedProcessTests {
    private static let key = StorageKey("stopped")

    /// Starts a program that stops, and returns once it holds the database's lock.
    private func stoppedProcess(
        _ connection: String, _ configuration: PostgresConfiguration, reconnects: Bool
    ) throws -> SavingProcess {
        let process = try SavingProcess(
            [connection, "stopped", "1000", reconnects ? "60000" : "0"], schema: configuration.schema)
        #expect(process.availableOutput() == Data("locked\n".utf8))
        return process
    }

    /// Writes while the other program is stopped.
    private func write(_ backend: PostgresBackend) async throws {
        try await backend.write(.public) { transaction in
            let value = try await transaction.load(StorageKeys(entries: [Self.key])).entries[0] ?? ""
            try await transaction.apply([.setEntry(Self.key, value + "other ")])
        }
    }

    private func value(_ backend: PostgresBackend) async throws -> String? {
        try await backend.read(.public) { try await $0.load(StorageKeys(entries: [Self.key])).entries[0] }
    }

    private func expectRepetition(_ connection: String) async throws {
        let configuration = Stores.configuration()
        let backend = try await Stores.backend(configuration)
        try await backend.write(.public) { try await $0.apply([.setEntry(StorageKey("other"), "")]) }
        let process = try stoppedProcess(connection, configuration, reconnects: true)
        defer { process.kill() }
        try await write(backend)
        #expect(try await value(backend) == "other ")
        process.resume()
        let (output, errors, status) = process.finish()
        #expect(status == 0, "\(errors)")
        #expect(String(decoding: output, as: UTF8.self) == "saved in run 2\n")
        #expect(try await value(backend) == "other stopped")
        await backend.close()
    }

    @Test("A program that is stopped in a write lets others write, and runs its write again when it continues")
    func repetition() async throws {
        try await expectRepetition(try await PostgresServer.shared.value.connection())
    }

    @Test(
        "The same behind a pooler",
        arguments: Poolers.hasTransactionMode ? [PgBouncer.Mode.session, .transaction] : [.session])
    func pooler(_ mode: PgBouncer.Mode) async throws {
        try await expectRepetition(try await Poolers.pooler(mode).connection)
    }

    @Test("A program that was stopped for longer than it retries throws, and has changed nothing")
    func error() async throws {
        let configuration = Stores.configuration()
        let backend = try await Stores.backend(configuration)
        try await backend.write(.public) { try await $0.apply([.setEntry(StorageKey("other"), "")]) }
        let process = try stoppedProcess(
            try await PostgresServer.shared.value.connection(), configuration, reconnects: false)
        defer { process.kill() }
        try await write(backend)
        process.resume()
        let (output, errors, status) = process.finish()
        #expect(status == 1 && output.isEmpty)
        #expect(errors.hasPrefix("serviceUnavailable: ") && errors.contains("sent nothing for too long"), "\(errors)")
        #expect(try await value(backend) == "other ")
        await backend.close()
    }

    @Test("A program that is stopped in the first write of a store lets others write")
    func firstWrite() async throws {
        let configuration = Stores.configuration()
        let process = try stoppedProcess(
            try await PostgresServer.shared.value.connection(), configuration, reconnects: true)
        defer { process.kill() }
        let backend = try await Stores.backend(configuration)
        try await write(backend)
        process.resume()
        #expect(process.finish().status == 0)
        #expect(try await value(backend) == "other stopped")
        await backend.close()
    }
}
