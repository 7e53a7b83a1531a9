import Cabinet
import Foundation
import PostgresTestSupport

@testable import CabinetPostgres

/// Backends on a cluster of Citus.
struct CitusStores {
    let cluster: CitusCluster
    let configuration: PostgresConfiguration

    init(_ cluster: CitusCluster) {
        self.cluster = cluster
        var configuration = Stores.configuration()
        configuration.reconnectionTimeLimit = .seconds(60)
        self.configuration = configuration
    }

    func backend() throws -> PostgresBackend {
        try PostgresBackend(connection: cluster.coordinator.connection(), configuration: configuration)
    }

    /// Returns the rows of a statement on a server, as texts.
    func rows(_ sql: String, on server: PostgresServer? = nil) throws -> [[String]] {
        let connection = try Connection(
            ConnectionParameters((server ?? cluster.coordinator).connection()), configuration: configuration)
        return try connection.query(sql, isPrepared: false).rows.map { row in
            (0..<8).compactMap { row.text($0) ?? row.integer($0).map(String.init) }
        }
    }

    /// The quoted name of the schema.
    var schema: String { "\"\(configuration.schema)\"" }
}
