import CPostgreSQL
import Cabinet
import Foundation

/// A connection to a server in libpq's pipeline mode, which sends statements without waiting for earlier answers.
///
/// A connection is used by one caller at a time. Its asynchronous calls release the caller's thread while they wait; the others
/// block it, and run on the connection's executor.
final class Connection {
    let handle: OpaquePointer
    /// The executor of calls that block.
    let executor: BlockingExecutor
    let parameters: ConnectionParameters
    /// The seconds to wait for any data from the server; `nil` to wait indefinitely.
    var timeout: TimeInterval?
    var statements = StatementCache()
    /// The statements that were sent and have not been answered.
    var pending: [PendingStatement] = []
    var cursorCount = 0
    /// Whether an answer is missing, so that later answers would be mistaken for it.
    var isAbandoned = false
    /// Whether the server was asked to cancel the running statements.
    var isCancelling = false
    /// Whether the running statements end with a commit.
    var isCommitting = false
    /// Whether the server was asked to stop a commit, by a request that may still be on its way.
    var isStopping = false
    private let notices = Notices()

    /// The schema that the program uses, as SQL takes it.
    var schema: String?

    /// The time after which the server is asked to stop a commit, in seconds; `nil` for never.
    var commitTimeLimit: TimeInterval?

    /// The time that the server waits for the next statement of a write, in milliseconds.
    var idleWriteLimit: Int64 = 1

    /// The server, its start time and the database that the connection is to.
    ///
    /// An older copy of a database can only be restored on a server that is started for it, or into another database.
    var origin = ""

    /// Whether a pooler is between this and the server, so that each transaction may run on another server connection.
    var isPooled = false {
        didSet { statements.keepsAll = isPooled }
    }

    /// The role whose privileges count, as SQL takes it: `SET ROLE` in the settings of the login may have changed it.
    var role = ""

    /// The settings of each transaction, if a pooler is in between; otherwise the connection has them.
    var localSettings: [SQLValue] = []

    /// The number of round trips to the server, for tests.
    var roundTrips = 0

    /// The number of statements that were sent.
    private(set) var sentCount = 0

    /// Connects.
    ///
    /// - Parameters:
    ///   - parameters: The server and the login.
    ///   - executor: The executor of calls that block.
    ///   - connectionTimeLimit: The time limit for connecting in seconds, unless the parameters set one.
    ///   - timeout: The seconds to wait for any data from the server.
    /// - Throws: ``PostgresFailure``
    init(
        _ parameters: ConnectionParameters, executor: BlockingExecutor = BlockingExecutor(label: "Cabinet PostgreSQL"),
        connectionTimeLimit: Int, timeout: TimeInterval?
    ) throws {
        self.parameters = parameters
        self.executor = executor
        self.timeout = timeout
        // Later options override earlier ones: the user's override the first two, and the last ones override the user's.
        let options: [(String, String)] = [
            ("connect_timeout", "\(connectionTimeLimit)"), ("fallback_application_name", "Cabinet"),
            ("dbname", parameters.text), ("client_encoding", "UTF8"),
        ]
        guard let handle = Self.connect(options) else {
            throw PostgresFailure(state: "53200", message: "out of memory", server: "")
        }
        self.handle = handle
        // `deinit` closes the handle, although the initializer throws.
        guard PQstatus(handle) == CONNECTION_OK else { throw loginFailure() }
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw connectionFailure() }
        notices.receive(from: handle)
    }

    private static func connect(_ options: [(String, String)]) -> OpaquePointer? {
        let keywords = options.map { strdup($0.0) }
        let values = options.map { strdup($0.1) }
        defer { (keywords + values).forEach { free($0) } }
        let keywordPointers = keywords.map { UnsafePointer($0) } + [nil]
        let valuePointers = values.map { UnsafePointer($0) } + [nil]
        guard let handle = PQconnectdbParams(keywordPointers, valuePointers, 1) else { return nil }
        // libpq has the SQLSTATE of a refused login in verbose messages only, which take a handle. So such a login is repeated.
        // `PQconnectStart` would have no time limit for each of several hosts.
        if PQstatus(handle) != CONNECTION_OK, PostgresFailure.isAnswer(message(of: handle)) {
            let usual = PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
            PQreset(handle)
            PQsetErrorVerbosity(handle, usual)
        }
        return handle
    }

    private static func message(of handle: OpaquePointer) -> String {
        PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    }

    deinit {
        PQfinish(handle)
    }

    /// Whether the connection is broken.
    var isBroken: Bool { isAbandoned || PQstatus(handle) != CONNECTION_OK }

    /// Whether a transaction is under way, or was when the connection broke.
    var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// Whether another transaction can begin: the last one has ended, or its end was sent.
    var isReusable: Bool {
        guard !isBroken, !statements.isFull else { return false }
        guard let last = pending.last(where: { !$0.isEnd }) else { return !isInTransaction }
        return [Self.rollback, Self.endOfRead].contains(last.statement)
    }

    /// The statement that ends a transaction without changes.
    static let rollback = "ROLLBACK"
    /// The statement that ends a read, spelled differently from the commits of writes, which tests cut.
    static let endOfRead = "END"

    /// The server as its users call it.
    var server: String {
        let host = PQhost(handle).map { String(cString: $0) } ?? ""
        let database = PQdb(handle).map { String(cString: $0) } ?? ""
        let port = PQport(handle).map { String(cString: $0) } ?? ""
        return "\(host):\(port)/\(database)"
    }
}

// MARK: - Statements

extension Connection {
    /// Runs a statement and returns its rows, in the same round trip as all enqueued statements before it.
    func query(_ sql: String, _ parameters: [SQLValue] = [], isPrepared: Bool = true) throws -> QueryResult {
        var found: QueryResult?
        try enqueue(sql, parameters, isPrepared: isPrepared) { found = $0 }
        try flush()
        guard let found else { throw lost("no answer to: \(sql.prefix(200))") }
        return found
    }

    /// Sends a statement without waiting for its answer.
    ///
    /// - Parameter check: A closure that receives the answer once it has arrived.
    func enqueue(
        _ sql: String, _ parameters: [SQLValue] = [], isPrepared: Bool = true,
        check: ((QueryResult) throws -> Void)? = nil
    ) throws {
        let types = parameters.map(\.typeID)
        var name: String?
        if isPrepared, let found = statements.name(of: sql, types: types) {
            name = found.name
            for evicted in found.evicted { try send("DEALLOCATE \(evicted)", EncodedParameters([]), evicts: evicted) }
            if found.isNew {
                guard PQsendPrepare(handle, found.name, sql, Int32(clamping: types.count), types) == 1 else {
                    throw connectionFailure()
                }
                pending.append(PendingStatement(statement: sql, prepares: found.name))
            }
        }
        try send(sql, EncodedParameters(parameters), preparedAs: name, check: check)
    }

    /// Runs a closure without a limit for the server's answers.
    func withoutTimeout<Output>(_ body: () throws -> Output) rethrows -> Output {
        let usual = timeout
        timeout = nil
        defer { timeout = usual }
        return try body()
    }

    /// Runs a closure with a shorter limit for the server's answers.
    func withTimeout<Output>(_ seconds: TimeInterval, _ body: () throws -> Output) rethrows -> Output {
        let usual = timeout
        timeout = seconds
        defer { timeout = usual }
        return try body()
    }

    private func send(
        _ sql: String, _ parameters: EncodedParameters, preparedAs name: String? = nil, evicts evicted: String? = nil,
        check: ((QueryResult) throws -> Void)? = nil
    ) throws {
        let isSent = parameters.withPointers { count, types, values, lengths, formats in
            if let name { return PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) }
            return PQsendQueryParams(handle, sql, count, types, values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw connectionFailure() }
        sentCount += 1
        pending.append(PendingStatement(statement: sql, evicts: evicted, check: check))
    }

    /// Commits, in the same round trip as what was sent before.
    ///
    /// After the commit, the server waits for its synchronous standbys. After ``commitTimeLimit``, it is asked to stop waiting.
    ///
    /// - Returns: Whether all synchronous standbys have confirmed the commit.
    func commit() throws -> Bool {
        try sendCommit("COMMIT")
        defer { isCommitting = false }
        try flush()
        return !notices.hasUnconfirmedCommit
    }

    /// Commits as ``commit()`` does, and occupies no thread while it waits for long.
    ///
    /// - Parameter statement: The statement that commits.
    func committed(with statement: String = "COMMIT") async throws -> Bool {
        try sendCommit(statement)
        defer { isCommitting = false }
        try await answers()
        return !notices.hasUnconfirmedCommit
    }

    private func sendCommit(_ statement: String) throws {
        notices.hasUnconfirmedCommit = false
        try enqueue(statement, isPrepared: false)
        isCommitting = true
    }

    /// Returns a failure with libpq's message about the connection.
    func connectionFailure() -> PostgresFailure {
        PostgresFailure(state: "", message: parameters.redacted(Self.message(of: handle)), server: server)
    }

    /// Returns the failure of the login.
    private func loginFailure() -> PostgresFailure {
        var failure = PostgresFailure(ofLogin: parameters.redacted(Self.message(of: handle)), server: server)
        if failure.isOfDatabasePrivilege { failure.advice = connectAdvice }
        return failure
    }

    /// Returns a failure, and marks the connection as broken, because an answer is missing.
    func lost(_ reason: String) -> PostgresFailure {
        isAbandoned = true
        return PostgresFailure(state: "08006", message: reason, server: server)
    }
}
