import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// The errors that a caller receives.
@Suite struct FailureTests {
    @Test(
        "Every kind of failure has its code",
        arguments: [
            ("40001", CabinetError.Code.zoneBusy), ("40P01", .zoneBusy), ("55P03", .zoneBusy),
            ("53100", .quotaExceeded), ("53200", .serviceUnavailable), ("53300", .serviceUnavailable),
            ("57P01", .serviceUnavailable), ("57P02", .serviceUnavailable), ("57P03", .serviceUnavailable),
            ("57014", .serviceUnavailable), ("25006", .permissionFailure), ("42501", .permissionFailure),
            ("28P01", .badContainer), ("28000", .badContainer), ("3D000", .badContainer), ("08006", .networkFailure),
            ("08001", .networkFailure), ("", .networkFailure), ("XX001", .internalError), ("58030", .internalError),
            ("42P01", .internalError), ("54000", .limitExceeded), ("22021", .invalidArguments),
            ("53400", .limitExceeded), ("72000", .serviceUnavailable), ("25P03", .serviceUnavailable),
            ("25P04", .serviceUnavailable),
        ])
    func codes(state: String, code: CabinetError.Code) {
        let error = PostgresFailure(state: state, message: "because", server: "host:5432/shop").error
        #expect(error.code == code)
        #expect(error.message.contains("host:5432/shop") && error.message.contains("because"))
        let waits: Set<CabinetError.Code> = [.zoneBusy, .serviceUnavailable]
        if waits.contains(code) { #expect(error.retryAfterSeconds != nil) }
    }

    @Test("The limit of a statement's time is explained for reads, and for writes")
    func statementTimes() {
        func message(_ statement: String) -> String {
            PostgresFailure(state: "57014", message: "because", server: "host", statement: statement).error.message
        }
        #expect(message("SELECT 1").contains("Request less data"))
        #expect(message("INSERT INTO \"Items\"").contains("Save less at once"))
    }

    @Test("A connection that the server has closed with a transaction is replaced, and the transaction is run again")
    func transactionTimeouts() {
        for state in ["25P03", "25P04"] {
            let failure = PostgresFailure(state: state, message: "because", server: "host:5432/shop")
            #expect(failure.isLoss && failure.isTransient && failure.isTransactionTimeout)
        }
    }

    @Test(
        "A program that finds no server of the kind that it asks for learns so, and retries, as after a failover",
        arguments: [
            (["session is read-only"], CabinetError.Code.permissionFailure),
            (["server is not in hot standby mode", "session is not read-only"], .permissionFailure),
            (["Connection refused\n\tIs the server running?", "session is read-only"], .networkFailure),
        ])
    func otherKinds(reasons: [String], code: CabinetError.Code) {
        let text = reasons.map { "connection to server at \"a\", port 5432 failed: \($0)\n" }.joined()
        let failure = PostgresFailure(ofLogin: text, server: "host:5432/shop")
        #expect(failure.error.code == code)
        #expect(failure.isTransient)
        #expect(!failure.error.message.contains(where: { $0.isNewline || $0 == "\t" }), "\(failure.error.message)")
    }

    @Test("A role whose transactions are read-only learns about its setting", arguments: ["", "read-write"])
    func readOnlyRole(kind: String) async throws {
        let server = try await PostgresServer.shared.value
        let admin = try Connection(
            ConnectionParameters(server.connection()), configuration: PostgresConfiguration())
        let role = "reader_\(UUID().uuidString.prefix(8).lowercased())"
        try admin.run("CREATE ROLE \(role) SUPERUSER LOGIN")
        try admin.run("ALTER ROLE \(role) SET default_transaction_read_only = on")
        let backend = try PostgresBackend(
            connection: server.connection(user: role) + (kind.isEmpty ? "" : "?target_session_attrs=\(kind)"),
            configuration: Stores.configuration())
        let error = await #expect(throws: CabinetError.self) {
            try await backend.write(.public) { try await $0.add([], to: "Type") }
        }
        #expect(error?.code == .permissionFailure, "\(error as Any)")
        #expect(error?.message.contains("default_transaction_read_only = off") == true, "\(error as Any)")
        await backend.close()
    }

    private static let secret = "s3cret'pass"

    @Test(
        "A connection string that cannot be read is refused, and not shown",
        arguments: [
            "postgresql://anna:s3cret'pass@[::1", "postgresql://anna:s3cret'pass@host/db?nonsense=1",
            "host=localhost password='s3cret", "s3cret'pass", "password='s3cret'pass'", "host=a\0b",
            "postgresql://anna:s3cret/pass@host/db", "postgresql://anna:1/s3cret@host/db",
            "postgres://anna:pass@s3cret@host/db",
        ])
    func unreadable(_ text: String) {
        let error = #expect(throws: CabinetError.self) { try PostgresBackend(connection: text) }
        #expect(error?.code == .badContainer)
        #expect(!"\(error as Any)".contains("s3cret"))
    }

    @Test("A password is removed from a message also if the letters beside it would merge with it")
    func mergedLetters() throws {
        for secret in ["s3cret\u{600}", "\u{301}s3cret"] {
            let parameters = try ConnectionParameters("host=localhost password='\(secret)'")
            let message = parameters.redacted("no user \"\(secret)\", \(secret)")
            #expect(message.utf8.elementsEqual("no user \"…\", …".utf8), "\(message)")
        }
    }

    @Test(
        "A schema's name that cannot be one is refused",
        arguments: ["", "pg_mine", "PG_mine", String(repeating: "x", count: 64), "a\0b"])
    func schemaName(_ name: String) {
        let error = #expect(throws: CabinetError.self) {
            try PostgresBackend(connection: "host=x", configuration: PostgresConfiguration(schema: name))
        }
        #expect(error?.code == .badContainer)
    }

    @Test("A password appears nowhere")
    func redaction() async throws {
        let server = try await PostgresServer.shared.value
        let texts = [
            server.connection(user: "nobody_at_all", password: Self.secret, database: "secured"),
            server.connection(user: "cabinet", password: Self.secret, database: "no_such_database"),
            "host=/no/such/folder user=anna password='s3cret\\'pass' dbname=shop",
            "postgresql://anna:s3cret%27pass@localhost:1/shop",
        ]
        for text in texts {
            let backend = try PostgresBackend(connection: text)
            var seen = ""
            dump(backend, to: &seen)
            seen += "\(backend) \(String(reflecting: backend)) \(backend.configuration)"
            let error = await #expect(throws: CabinetError.self) {
                try await backend.read(.public) { try await $0.schema() }
            }
            seen += "\(error as Any) \(error?.message ?? "") \(String(reflecting: error))"
            #expect(!seen.contains("s3cret"), "\(seen)")
            #expect([.badContainer, .networkFailure].contains(error?.code), "\(error as Any)")
            await backend.close()
        }
    }

    @Test("A wrong password, a missing role and a missing database are distinguished from an unreachable server")
    func logins() async throws {
        let server = try await PostgresServer.shared.value
        let admin = try Connection(
            ConnectionParameters(server.connection()), configuration: PostgresConfiguration())
        _ = try? admin.query("CREATE ROLE anna LOGIN PASSWORD 'right'", isPrepared: false)
        _ = try? admin.run("CREATE DATABASE secured")
        for (user, password, database, code) in [
            ("anna", "wrong", "secured", CabinetError.Code.badContainer), ("anna", nil, "secured", .badContainer),
            ("nobody_at_all", nil, "postgres", .badContainer), ("cabinet", nil, "nowhere", .badContainer),
            // A role that may not create a schema.
            ("anna", "right", "secured", .permissionFailure),
        ] {
            let backend = try PostgresBackend(
                connection: server.connection(user: user, password: password, database: database))
            let error = await #expect(throws: CabinetError.self) {
                try await backend.write(.public) { try await $0.add([], to: "Type") }
            }
            #expect(error?.code == code, "\(error as Any)")
            await backend.close()
        }
    }

    @Test("A statement that takes too long is stopped, and the connection remains usable")
    func statementTimeLimit() async throws {
        var configuration = Stores.configuration()
        configuration.statementTimeLimit = .milliseconds(100)
        configuration.busyTimeout = .zero
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let failure = #expect(throws: PostgresFailure.self) { try connection.query("SELECT pg_sleep(30)") }
        #expect(failure?.state == "57014")
        #expect(failure?.error.code == .serviceUnavailable)
        #expect(try connection.query("SELECT 1::bigint").first?.integer(0) == 1)
    }

    @Test("Tables of a newer version are left alone")
    func newerLayout() async throws {
        let configuration = Stores.configuration()
        let first = try await Stores.backend(configuration)
        try await first.write(.public) { try await $0.add([], to: "Type") }
        await first.close()
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        try connection.run("UPDATE \"\(configuration.schema)\".cabinet_layout SET version = 1000")
        let second = try await Stores.backend(configuration)
        for _ in 0..<2 {
            let read = await #expect(throws: CabinetError.self) {
                try await second.read(.public) { try await $0.schema() }
            }
            #expect(read?.code == .incompatibleVersion)
            let write = await #expect(throws: CabinetError.self) {
                try await second.write(.public) { try await $0.add([], to: "Other") }
            }
            #expect(write?.code == .incompatibleVersion)
        }
        await second.close()
    }

    @Test("A server that was never reached is not waited for", .timeLimit(.minutes(15)))
    func unreachable() async throws {
        var configuration = PostgresConfiguration()
        // A waiting caller would exceed the test's time limit.
        configuration.reconnectionTimeLimit = .seconds(3600)
        let backend = try PostgresBackend(
            connection: "postgresql://anna@localhost:1/shop", configuration: configuration)
        let error = await #expect(throws: CabinetError.self) {
            try await backend.read(.public) { try await $0.schema() }
        }
        #expect(error?.code == .networkFailure)
        await backend.close()
    }
}
