import Cabinet
import Foundation
import PostgresTestSupport

@testable import CabinetPostgres

/// Creates backends, each with a PostgreSQL schema of its own on the shared server.
enum Stores {
    /// The configuration of a backend on the shared server.
    static func configuration() -> PostgresConfiguration {
        PostgresConfiguration(
            schema: "test_\(UUID().uuidString.lowercased())", maximumConnections: 8, reconnectionTimeLimit: .seconds(20)
        )
    }

    /// Creates a backend without records.
    static func backend(_ configuration: PostgresConfiguration = configuration()) async throws -> PostgresBackend {
        try PostgresBackend(
            connection: try await PostgresServer.shared.value.connection(), configuration: configuration)
    }

    /// A backend that shares its connections with others, which saves the time of connecting.
    static func cheapBackend(_ configuration: PostgresConfiguration) async throws -> PostgresBackend {
        try PostgresBackend(
            connection: try await PostgresServer.shared.value.connection(), configuration: configuration,
            sharing: try await connections.value)
    }

    private static let connections = Task {
        let parameters = try ConnectionParameters(try await PostgresServer.shared.value.connection())
        return Connections(parameters, PostgresConfiguration(maximumConnections: 80))
    }
}
