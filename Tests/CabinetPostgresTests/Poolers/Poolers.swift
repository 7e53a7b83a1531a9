import Cabinet
import CabinetConformance
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// Poolers before the shared server, each started once.
enum Poolers {
    static let session = Task { try PgBouncer(before: try await PostgresServer.shared.value, mode: .session) }
    static let transaction = Task {
        try PgBouncer(before: try await PostgresServer.shared.value, mode: .transaction, program: PgBouncer.program)
    }

    /// Whether there is a pooler whose transaction mode keeps prepared statements apart.
    static let hasTransactionMode = PgBouncer.keepsStatements(PgBouncer.program)

    /// Returns the pooler of a mode.
    static func pooler(_ mode: PgBouncer.Mode) async throws -> PgBouncer {
        switch mode {
        case .session: try await session.value
        case .transaction: try await transaction.value
        }
    }

    /// Creates a backend behind a pooler, which shares its connections with others.
    ///
    /// It listens past the pooler if the mode does not allow to listen through it.
    static func backend(_ mode: PgBouncer.Mode, _ configuration: PostgresConfiguration) async throws -> PostgresBackend
    {
        let listening = mode == .session ? nil : try await PostgresServer.shared.value.connection()
        return try PostgresBackend(
            connection: try await pooler(mode).connection, listeningConnection: listening, configuration: configuration,
            sharing: try await (mode == .session ? sessionConnections : transactionConnections).value)
    }

    private static let sessionConnections = connections(.session)
    private static let transactionConnections = connections(.transaction)

    private static func connections(_ mode: PgBouncer.Mode) -> Task<Connections, any Error> {
        Task {
            let parameters = try ConnectionParameters(try await pooler(mode).connection)
            return Connections(parameters, PostgresConfiguration(maximumConnections: mode == .session ? 50 : 80))
        }
    }

    /// The stores that rules run on.
    static func subject(_ mode: PgBouncer.Mode) async throws -> ConformanceSubject {
        let subject = ConformanceSubject.named { store in
            var configuration = Stores.configuration()
            configuration.schema = store
            return try await backend(mode, configuration)
        } removing: { _ in
        }
        return subject.withHelper(
            try #require(SavingProcess.executable), arguments: [try await pooler(mode).connection])
    }
}
