import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// Refused logins, whose reasons libpq reports as texts.
@Suite struct LoginTests {
    @Test(
        "A refused login is classified by its SQLSTATE, in any language",
        arguments: [
            ("FATAL:  3D000: Datenbank »nope« existiert nicht", "3D000", CabinetError.Code.badContainer),
            ("FATAL:  53300: zu viele Verbindungen für Rolle »r«", "53300", .serviceUnavailable),
            ("FATAL:  57P03: das Datenbanksystem startet", "57P03", .serviceUnavailable),
            ("FATAL:  28P01: password authentication failed for user \"anna\"", "28P01", .badContainer),
            ("FATAL:  53300: too many connections for database \"dl\"", "53300", .serviceUnavailable),
            ("FATAL:  42501: permission denied for database \"dp\"", "42501", .permissionFailure),
            ("FATAL:  55000: database \"na\" is not currently accepting connections", "55000", .badContainer),
            ("FATAL:  42704: unrecognized configuration parameter \"foo\"", "42704", .badContainer),
            // The messages of PgBouncer.
            ("FATAL:  08P01: no more connections allowed (max_client_conn)", "53300", .serviceUnavailable),
            ("FATAL:  08P01: no such database: nope", "3D000", .badContainer),
            ("FATAL:  08P01: \"trust\" authentication failed", "28P01", .badContainer),
            ("FATAL:  08P01: server login has been failing, try again later", "08P01", .networkFailure),
            // The messages of libpq.
            ("fe_sendauth: no password supplied", "28P01", .badContainer),
            ("timeout expired", "", .networkFailure),
        ])
    func states(answer: String, state: String, code: CabinetError.Code) {
        let text =
            "connection to server at \"db\", port 5432 failed: \(answer)\nLOCATION:  InitPostgres, postinit.c:9\n"
        let failure = PostgresFailure(ofLogin: text, server: "db:5432/shop")
        #expect(failure.state == state)
        #expect(failure.error.code == code)
        #expect(failure.isTransient == [.serviceUnavailable, .networkFailure].contains(code))
        let message = failure.error.message
        #expect(message.components(separatedBy: state).count <= 2 || state.isEmpty, "\(message)")
        #expect(!message.contains("LOCATION") && !message.contains("08P01: no"), "\(message)")
    }

    @Test("Of several hosts, the one that may soon accept the login decides")
    func hosts() {
        let text = ["28P01: password authentication failed", "57P03: the database system is starting up"]
            .map { "connection to server at \"a\", port 5432 failed: FATAL:  \($0)\n" }.joined()
        #expect(PostgresFailure(ofLogin: text, server: "a").state == "57P03")
    }

    @Test(
        "A connection string that libpq cannot use is not taken for a broken network",
        arguments: ["service=no_such_service_at_all", "sslmode=bogus", "port=abc", "target_session_attrs=any_one"])
    func parameters(text: String) {
        let failure = #expect(throws: PostgresFailure.self) {
            try Connection(ConnectionParameters(text), configuration: PostgresConfiguration())
        }
        #expect(failure?.isTransient == false)
        #expect(failure?.error.code == .badContainer)
        #expect(failure?.error.message.contains("server :/") == false, "\(failure as Any)")
    }

    @Test("Limits of connections pass, and missing privileges and closed databases do not")
    func refusals() async throws {
        let server = try await PostgresServer.shared.value
        let admin = try Connection(
            ConnectionParameters(server.connection()), configuration: PostgresConfiguration())
        let id = UUID().uuidString.prefix(8).lowercased()
        let (limited, role) = ("limited_\(id)", "role_\(id)")
        let (full, denied, closed) = ("full_\(id)", "denied_\(id)", "closed_\(id)")
        for statement in [
            "CREATE ROLE \(limited) LOGIN CONNECTION LIMIT 0", "CREATE ROLE \(role) LOGIN",
            "CREATE DATABASE \(full) CONNECTION LIMIT 0", "CREATE DATABASE \(denied)",
            "REVOKE CONNECT ON DATABASE \(denied) FROM PUBLIC", "CREATE DATABASE \(closed) ALLOW_CONNECTIONS false",
        ] {
            try admin.run(statement)
        }
        func refusal(_ user: String, _ database: String) async throws -> CabinetError? {
            let configuration = PostgresConfiguration(reconnectionTimeLimit: .zero)
            let backend = try PostgresBackend(
                connection: server.connection(user: user, database: database), configuration: configuration)
            let error = await #expect(throws: CabinetError.self) {
                try await backend.read(.public) { try await $0.schema() }
            }
            await backend.close()
            return error
        }
        for (user, database) in [(limited, "postgres"), (role, full)] {
            let error = try await refusal(user, database)
            #expect(error?.code == .serviceUnavailable && error?.retryAfterSeconds != nil, "\(error as Any)")
            #expect(error?.message.contains("53300: ") == true, "\(error as Any)")
        }
        let closedError = try await refusal(role, closed)
        #expect(closedError?.code == .badContainer, "\(closedError as Any)")
        #expect(closedError?.message.contains("ALLOW_CONNECTIONS") == true, "\(closedError as Any)")
        let deniedError = try await refusal(role, denied)
        #expect(deniedError?.code == .permissionFailure, "\(deniedError as Any)")
        let advice = "GRANT CONNECT ON DATABASE \"\(denied)\" TO \"\(role)\";"
        #expect(deniedError?.message.contains(advice) == true, "\(deniedError as Any)")
    }
}
