import CSQLite
import Cabinet
import Foundation

/// An open SQLite database, closed on deinitialization.
///
/// Statements retain it, so that it is closed after the last of them.
final class DatabaseHandle {
    let pointer: OpaquePointer
    let path: String
    /// The last error of a Cabinet function in a statement.
    let functionFailure = SQLFunctionFailure()
    /// The time limit for statements on the current thread.
    // Every step asks it, on the one thread that uses the connection, so a check of the access would find nothing.
    @exclusivity(unchecked) var briefLimit = BriefLimit()
    /// Called with each statement that is prepared, for tests.
    var willPrepare: ((_ sql: String) -> Void)?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - creates: Whether to create the file if it does not exist.
    ///   - frozen: The file if it is to be read without locks.
    init(path: String, creates: Bool, frozen: FrozenFile? = nil) throws {
        var pointer: OpaquePointer?
        // Only one thread uses the connection at a time, which `Session` ensures, so SQLite needs no locks.
        let access =
            frozen == nil
            ? SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0) : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(frozen?.uri ?? path, &pointer, flags, nil)
        guard code == SQLITE_OK, let pointer else {
            defer { sqlite3_close_v2(pointer) }
            throw Self.failure(code: code, pointer: pointer, path: path).error
        }
        self.pointer = pointer
        self.path = path
        // Then SQLite keeps the index of the log in memory.
        if frozen?.hasLog == true { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    }

    deinit {
        sqlite3_close_v2(pointer)
    }

    /// The failure for a result code.
    func failure(_ code: Int32, in statement: String? = nil) -> SQLiteFailure {
        var failure = Self.failure(code: code, pointer: pointer, path: path)
        failure.statement = statement
        return failure
    }

    /// Runs statements without rows.
    func execute(_ sql: String) throws {
        let code = sqlite3_exec(pointer, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(code, in: sql).error }
    }

    /// Whether no transaction is active, because none has begun or SQLite has rolled it back after a failure.
    var isAutocommit: Bool { sqlite3_get_autocommit(pointer) != 0 }

    /// Moves the write-ahead log into the file up to the oldest snapshot that is still read, without waiting.
    ///
    /// - Returns: The size of the log and how much of it has been moved; `nil` while another connection runs a
    ///   checkpoint.
    func checkpoint() throws -> CheckpointState? {
        var (size, moved): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_PASSIVE, &size, &moved)
        if code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED { return nil }
        guard code == SQLITE_OK else { throw failure(code).error }
        return CheckpointState(size: size, moved: moved)
    }

    /// A number that changes whenever another connection has committed; `nil` if it is unknown.
    var dataVersion: UInt32? {
        var version: UInt32 = 0
        return sqlite3_file_control(pointer, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK ? version : nil
    }

    /// Whether the file was opened for reading only.
    var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    /// Whether the file is no longer at its path.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let code = sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return code == SQLITE_OK && moved != 0
    }

    private static func failure(code: Int32, pointer: OpaquePointer?, path: String) -> SQLiteFailure {
        let number = errno
        let message = String(cString: pointer.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
        var systemError: Int32 = 0
        if [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF) {
            systemError = pointer.map { sqlite3_system_errno($0) } ?? 0
            // SQLite does not store the error of a failed commit.
            if systemError == 0 { systemError = number }
        }
        return SQLiteFailure(code: code, message: message, path: path, systemError: systemError)
    }
}

/// The number of pages in the write-ahead log, and how many of them are in the file; both are -1 without a log.
struct CheckpointState: Sendable {
    let size: Int32
    let moved: Int32
}
