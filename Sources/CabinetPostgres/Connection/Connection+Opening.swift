import CPostgreSQL
import Cabinet
import Foundation
import SQLSupport

extension Connection {
    /// The seconds that a statement may exceed its limit before the connection counts as broken.
    private static let grace: TimeInterval = 10

    /// The time after which the server ends an idle read, so that a machine that vanished does not hold a snapshot forever.
    private static let idleReadLimit = Duration.seconds(300)

    /// Connects, and applies the settings for all statements.
    ///
    /// - Throws: ``PostgresFailure``; ``/Cabinet/CabinetError/Code/badContainer`` if the server's database is not in UTF-8.
    convenience init(
        _ parameters: ConnectionParameters, executor: BlockingExecutor = BlockingExecutor(label: "Cabinet PostgreSQL"),
        configuration: PostgresConfiguration
    ) throws {
        // A statement that waits for a lock has its own limit.
        let limit = configuration.statementTimeLimit.map {
            max($0.milliseconds, configuration.busyTimeout.milliseconds + 1000)
        }
        let seconds = limit.map { TimeInterval($0) / 1000 }
        try self.init(
            parameters, executor: executor,
            connectionTimeLimit: Int(max(configuration.connectionTimeLimit.milliseconds / 1000, 2)),
            timeout: seconds.map { $0 + Self.grace })
        commitTimeLimit = seconds
        idleWriteLimit = max(configuration.idleWriteTimeLimit.milliseconds, 1)
        schema = SQLName.quoted(configuration.schema)
        let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) }
        guard encoding == "UTF8" else {
            throw CabinetError(
                .badContainer,
                "The PostgreSQL database \(server) has the encoding \(encoding ?? "?"), which cannot hold every text. "
                    + "Create one with ENCODING 'UTF8'.")
        }
        try apply(Self.settings(configuration, statementTimeLimit: limit))
    }

    /// The values of the settings that every statement needs, in the order of ``settingNames``.
    private static func settings(_ configuration: PostgresConfiguration, statementTimeLimit limit: Int64?) -> [SQLValue]
    {
        [
            // Unqualified names find only PostgreSQL's functions and tables.
            .text("pg_catalog"), .text("\(configuration.busyTimeout.milliseconds)"),
            .text("\(idleReadLimit.milliseconds)"),
            // The server reports a commit without its standby as a warning.
            .text("warning"), limit.map { .text("\($0)") } ?? .nullOf(typeID: 25),
            // A policy that hides rows from the role makes a statement fail, as it does for `pg_dump`.
            .text("off"),
        ]
    }

    private static let settingNames = [
        "search_path", "lock_timeout", Connection.idleLimitSetting, "client_min_messages",
        "statement_timeout", "row_security",
    ]

    /// The setting that limits the time between two statements of a transaction.
    static let idleLimitSetting = "idle_in_transaction_session_timeout"

    /// Enqueues the statement that lowers this time for the current transaction, because it holds locks.
    func limitIdleTime() throws {
        try enqueue("SET LOCAL \(Self.idleLimitSetting) = \(idleWriteLimit)", isPrepared: false)
    }

    /// Returns the expressions that apply the settings, with the parameters `$1` to `$6`.
    private static func settingTerms(isLocal: Bool) -> String {
        let terms = settingNames.enumerated().map { index, name in
            "set_config('\(name)', coalesce($\(index + 1), current_setting('\(name)')), \(isLocal))"
        }
        // By default, PostgreSQL assumes that pages are on a spinning disk. It would scan a small table instead of searching
        // its index.
        let cost =
            "CASE current_setting('random_page_cost') WHEN '4' THEN '1.1' ELSE current_setting('random_page_cost') END"
        // A crash of the server, even of one of its processes, would otherwise lose commits that Cabinet has acknowledged.
        let durability =
            "CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', \(isLocal)) END"
        // Otherwise, an array literal could hold no null.
        let nulls = "set_config('array_nulls', 'on', \(isLocal))"
        let others =
            ["set_config('random_page_cost', \(cost), \(isLocal))", durability, nulls]
            + (isLocal ? [] : [isolationTerm])
        return (terms + others).joined(separator: ", ")
    }

    /// Statements that are sent together, and without a beginning, see the same state.
    private static let isolationTerm = "set_config('default_transaction_isolation', 'repeatable read', false)"

    private static let originTerm = """
        (SELECT extract(epoch FROM pg_postmaster_start_time())::text || '/' || oid::text \
        FROM pg_database WHERE datname = current_database())
        """

    private static let localStatement = "SELECT \(originTerm), \(settingTerms(isLocal: true))"

    /// Applies the settings to the connection, or to each transaction if a pooler is in between.
    private func apply(_ settings: [SQLValue]) throws {
        // A pooler invents the numbers of the processes that it reports.
        let process = SQLValue.integer(Int64(PQbackendPID(handle)))
        try enqueue(
            "SELECT \(Self.settingTerms(isLocal: false)) WHERE pg_backend_pid() = $7", settings + [process],
            isPrepared: false)
        let found = try query(
            "SELECT \(Self.originTerm), pg_backend_pid() = $1, quote_ident(current_user)", [process], isPrepared: false)
        guard let origin = found.first?.text(0), let isDirect = found.first?.boolean(1), let role = found.first?.text(2)
        else { throw PostgresFailure.damaged("the server does not report its start time") }
        self.origin = origin
        self.role = role
        isPooled = !isDirect
        localSettings = isDirect ? [] : settings
    }

    /// Enqueues the statements that begin a transaction.
    ///
    /// - Parameter characteristics: The isolation level, and whether the transaction is read-only.
    func begin(_ characteristics: String) throws {
        // Preparing it could evict another statement, which would run before it. The isolation level must be set first.
        try enqueue("BEGIN ISOLATION LEVEL \(characteristics)", isPrepared: false)
        guard isPooled else { return }
        try enqueue(Self.localStatement, localSettings) { [weak self] result in
            guard let self, result.first?.text(0) != origin else { return }
            throw lost("the server behind the pooler is another one, or was restarted")
        }
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
