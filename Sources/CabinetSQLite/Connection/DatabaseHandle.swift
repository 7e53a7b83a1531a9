import CSQLite
import Cabinet

/// An open SQLite database, closed when nothing refers to it any more.
///
/// Statements hold on to it, so that it is closed after the last of them is gone.
final class DatabaseHandle {
    let pointer: OpaquePointer
    let path: String
    /// What the last function of Cabinet's that failed in a statement has to say.
    let functionFailure = SQLFunctionFailure()
    /// How long statements may take on the thread that they run on.
    var briefLimit = BriefLimit()
    /// Told of each statement that is prepared, for tests.
    var willPrepare: ((_ sql: String) -> Void)?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - creates: Whether to create the file if there is none.
    init(path: String, creates: Bool) throws {
        var pointer: OpaquePointer?
        // The connection is used by one thread at a time, which `Session` sees to: SQLite need not lock.
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (creates ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &pointer, flags, nil)
        guard code == SQLITE_OK, let pointer else {
            defer { sqlite3_close_v2(pointer) }
            throw Self.failure(code: code, pointer: pointer, path: path).error
        }
        self.pointer = pointer
        self.path = path
    }

    deinit {
        sqlite3_close_v2(pointer)
    }

    /// The failure that a result code stands for.
    func failure(_ code: Int32, in statement: String? = nil) -> SQLiteFailure {
        var failure = Self.failure(code: code, pointer: pointer, path: path)
        failure.statement = statement
        return failure
    }

    /// Runs statements that return nothing.
    func execute(_ sql: String) throws {
        let code = sqlite3_exec(pointer, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(code, in: sql).error }
    }

    /// Whether no transaction is under way: either none was begun, or SQLite has undone it after a failure.
    var isAutocommit: Bool { sqlite3_get_autocommit(pointer) != 0 }

    /// Moves the write-ahead log into the file as far as nobody reads an older state, without waiting for anybody.
    ///
    /// - Returns: How many pages the log has, and how many of them are in the file; `nil` while another connection does it.
    func checkpoint() throws -> CheckpointState? {
        var (size, moved): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_PASSIVE, &size, &moved)
        if code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED { return nil }
        guard code == SQLITE_OK else { throw failure(code).error }
        return CheckpointState(size: size, moved: moved)
    }

    /// A number that is another one whenever a transaction begins after somebody has changed the file; `nil` if that is not known.
    var dataVersion: UInt32? {
        var version: UInt32 = 0
        return sqlite3_file_control(pointer, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK ? version : nil
    }

    /// Whether the file is no longer at its path.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let code = sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return code == SQLITE_OK && moved != 0
    }

    private static func failure(code: Int32, pointer: OpaquePointer?, path: String) -> SQLiteFailure {
        let message = String(cString: pointer.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
        let hasSystemError = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
        return SQLiteFailure(
            code: code, message: message, path: path,
            systemError: hasSystemError ? pointer.map { sqlite3_system_errno($0) } ?? 0 : 0)
    }
}

/// How far the write-ahead log has been moved into the file, in pages; both are -1 if the file has no such log.
struct CheckpointState: Sendable {
    let size: Int32
    let moved: Int32
}
