import Foundation

/// A cluster of Citus of the tests' own: a coordinator and workers, which reach each other through sockets.
package final class CitusCluster: Sendable {
    package let coordinator: PostgresServer
    package let workers: [PostgresServer]

    /// Whether `make test-citus` runs the tests, which has made sure that Citus is installed.
    package static let isRequested = ProcessInfo.processInfo.environment["CABINET_CITUS"] == "1"

    /// The cluster that most tests share; it promises no durability.
    package static let shared = Task { try await CitusCluster(isDurable: false) }

    /// Creates a cluster, whose last worker is not a part of it yet.
    ///
    /// - Parameter isDurable: Whether commits wait for the disk.
    package init(isDurable: Bool) async throws {
        let settings = [
            "shared_preload_libraries=citus", "citus.local_hostname={directory}",
            "citus.node_conninfo=sslmode=prefer", "wal_level=logical", "citus.enable_statistics_collection=off",
            // Citus reports a distributed deadlock as such only if it is logged.
            "log_min_messages=error",
            // Creating shards takes most of the time of a test.
            "citus.shard_count=2",
        ]
        coordinator = try await PostgresServer(isDurable: isDurable, settings: settings)
        var workers: [PostgresServer] = []
        for _ in 0..<3 { workers.append(try await PostgresServer(isDurable: isDurable, settings: settings)) }
        self.workers = workers
        for server in [coordinator] + workers { try await server.execute("CREATE EXTENSION citus") }
        try await coordinator.execute("SELECT citus_set_coordinator_host('\(coordinator.directory.path)', 5432)")
        for worker in workers.dropLast() { try await add(worker) }
    }

    /// Adds a worker to the cluster.
    package func add(_ worker: PostgresServer) async throws {
        try await coordinator.execute("SELECT citus_add_node('\(worker.directory.path)', 5432)")
    }

    /// Moves the shard of a database, and all that are distributed together with it, to another worker.
    ///
    /// - Parameters:
    ///   - database: The number of the database.
    ///   - schema: The schema of its tables.
    ///   - worker: The worker to move it to.
    package func move(_ database: Int64, in schema: String, to worker: PostgresServer) async throws {
        try await coordinator.execute(
            """
            SELECT citus_move_shard_placement(shardid, nodename, nodeport, '\(worker.directory.path)', 5432, 'block_writes') \
            FROM citus_shards WHERE nodename <> '\(worker.directory.path)' \
            AND shardid = get_shard_id_for_distribution_column('"\(schema)".cabinet_state', \(database))
            """)
    }
}

extension PostgresServer {
    /// Runs a statement with `psql`.
    package func execute(_ sql: String) async throws {
        try await run("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-c", sql, "postgres"])
    }
}
