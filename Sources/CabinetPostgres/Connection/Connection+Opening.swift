import CPostgreSQL
import Cabinet
import Foundation
import SQLSupport

extension Connection {
    /// What a statement may take longer than its limit before the connection counts as dead, in seconds.
    private static let grace: TimeInterval = 10

    /// For how long a transaction may do nothing before the server ends it, so that a machine that vanished holds no lock for ever.
    private static let idleTransactionLimit = Duration.seconds(300)

    /// Connects, and sets what holds for every statement.
    ///
    /// - Throws: ``PostgresFailure``; ``/Cabinet/CabinetError/Code/badContainer`` if the server's database holds no Unicode.
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
            // Nobody's functions and tables but PostgreSQL's are found by a name alone.
            ("search_path", "pg_catalog"),
            ("lock_timeout", "\(configuration.busyTimeout.milliseconds)"),
            ("idle_in_transaction_session_timeout", "\(Self.idleTransactionLimit.milliseconds)"),
            // A commit without its standby is a warning.
            ("client_min_messages", "warning"),
        ]
        if let limit { settings.append(("statement_timeout", "\(limit)")) }
        for (name, value) in settings {
            try enqueue("SELECT set_config($1, $2, false)", [.text(name), .text(value)], isPrepared: false)
        }
        // As long as nobody has said otherwise, PostgreSQL takes it that pages come from a disk that turns, and would rather read a
        // small table from end to end than look for a key in its index.
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
            throw PostgresFailure.damaged("the server does not tell when it was started")
        }
        self.origin = origin
    }

    /// Whether the connection still works, as far as one can see without asking, or by asking.
    ///
    /// - Parameter limit: How long the server may take to answer, in seconds; `nil` for not asking.
    func isUsable(checkingWithin limit: TimeInterval?) -> Bool {
        guard !isBroken, !isClosedByServer else { return false }
        guard let limit else { return true }
        return withPatience(limit) { (try? query("SELECT 1", isPrepared: false)) != nil }
    }

    /// Whether the server has said farewell while nobody listened.
    private var isClosedByServer: Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // Its last words come before the end.
        for _ in 0..<8 {
            if poll(&descriptor, 1, 0) <= 0 { return false }
            if PQconsumeInput(handle) == 0 || PQstatus(handle) != CONNECTION_OK { return true }
        }
        return false
    }
}
