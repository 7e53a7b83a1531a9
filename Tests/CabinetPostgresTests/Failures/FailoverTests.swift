import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// A primary that crashes under load, and its synchronous standby, which takes over.
@Suite struct FailoverTests {
    @Test(
        "A promoted synchronous standby has all acknowledged saves, and the programs go on with it",
        .timeLimit(.minutes(15)))
    func failover() async throws {
        let primary = try await PostgresServer(isDurable: true)
        let standby = try await PostgresServer(isDurable: true, standbyOf: primary)
        let admin = try Connection(ConnectionParameters(primary.connection()), configuration: PostgresConfiguration())
        try admin.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try admin.run("SELECT pg_reload_conf()")
        while try admin.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'").count == 0 {
            try await Task.sleep(for: .milliseconds(20))
        }

        var configuration = Stores.configuration()
        configuration.reconnectionTimeLimit = .seconds(60)
        let hosts = "host=\(primary.directory.path),\(standby.directory.path)"
        let connection = "\(hosts) user=cabinet dbname=postgres target_session_attrs=read-write"
        let load = SavingLoad { [configuration] in
            try PostgresBackend(connection: connection, configuration: configuration)
        }
        try await load.run {
            try await load.waitForMore(200)
            try await primary.goDown()
            try await standby.promote()
            try await load.waitForMore(200)
        }
        try await load.check("failover")
        let failures = await load.failures
        #expect(failures.isEmpty, "\(failures.prefix(3))")
    }
}
