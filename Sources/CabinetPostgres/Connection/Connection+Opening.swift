import CPostgreSQL
import Cabinet
import Foundation
import SQLSupport

extension Connection {
    /// The seconds that a statement may exceed its limit before the connection counts as broken.
    private static let grace: TimeInterval = 10

    /// The time after which the server ends an idle transaction, so that a machine that vanished does not hold locks forever.
    private static let idleTransactionLimit = Duration.seconds(300)

    /// Connects, and applies the settings for all statements.
    ///
    /// - Throws: ``PostgresFailure``; ``/Cabinet/CabinetError/Code/badContainer`` if the server's database is not in UTF-8.
    convenience init(_ parameters: ConnectionParameters, configuration: PostgresConfiguration) throws {
        // A statement that waits for a lock has its own limit.
        let limit = configuration.statementTimeLimit.map {
            max($0.milliseconds, configuration.busyTimeout.milliseconds + 1000)
        }
        let seconds = limit.map { TimeInterval($0) / 1000 }
        try self.init(
            parameters, connectionTimeLimit: Int(max(configuration.connectionTimeLimit.milliseconds / 1000, 2)),
            timeout: seconds.map { $0 + Self.grace })
        commitTimeLimit = seconds
        schema = SQLName.quoted(configuration.schema)
        let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) }
        guard encoding == "UTF8" else {
            throw CabinetError(
                .badContainer,
                "The PostgreSQL database \(server) has the encoding \(encoding ?? "?"), which cannot hold every text. "
                    + "Create one with ENCODING 'UTF8'.")
        }
        var settings: [(String, String)] = [
            // Unqualified names find only PostgreSQL's functions and tables.
            ("search_path", "pg_catalog"),
            ("lock_timeout", "\(configuration.busyTimeout.milliseconds)"),
            ("idle_in_transaction_session_timeout", "\(Self.idleTransactionLimit.milliseconds)"),
            // The server reports a commit without its standby as a warning.
            ("client_min_messages", "warning"),
        ]
        if let limit { settings.append(("statement_timeout", "\(limit)")) }
        for (name, value) in settings {
            try enqueue("SELECT set_config($1, $2, false)", [.text(name), .text(value)], isPrepared: false)
        }
        // By default, PostgreSQL assumes that pages are on a spinning disk. It would scan a small table instead of searching
        // its index.
        try enqueue(
            """
            SELECT set_config('random_page_cost', '1.1', false) WHERE current_setting('random_page_cost') = '4'
            """, isPrepared: false)
        let found = try query(
            """
            SELECT extract(epoch FROM pg_postmaster_start_time())::text || '/' || oid::text \
            FROM pg_database WHERE datname = current_database()
            """, isPrepared: false)
        guard let origin = found.first?.text(0) else {
            throw PostgresFailure.damaged("the server does not report its start time")
        }
        self.origin = origin
    }

    /// Returns whether the connection still works.
    ///
    /// - Parameter limit: The seconds in which the server must answer a query; `nil` to check only the state of the socket.
    func isUsable(checkingWithin limit: TimeInterval?) -> Bool {
        guard !isBroken, !isClosedByServer else { return false }
        guard let limit else { return true }
        return withTimeout(limit) { (try? query("SELECT 1", isPrepared: false)) != nil }
    }

    /// Whether the server closed the connection while it was idle.
    private var isClosedByServer: Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // The server's last messages precede the end of the stream.
        for _ in 0..<8 {
            if poll(&descriptor, 1, 0) <= 0 { return false }
            if PQconsumeInput(handle) == 0 || PQstatus(handle) != CONNECTION_OK { return true }
        }
        return false
    }
}
