import CSQLite
import Cabinet
import Foundation

/// A failure that SQLite reports, before it is converted to a ``/Cabinet/CabinetError``.
struct SQLiteFailure {
    /// The extended result code.
    let code: Int32

    /// SQLite's message.
    let message: String

    /// The file that the connection has open.
    let path: String

    /// The operating system's error number behind an input or output error, or 0.
    var systemError: Int32 = 0

    /// The statement that failed, if it helps to understand the failure.
    var statement: String?

    /// `SQLITE_READONLY_DBMOVED`, a macro that Swift does not import.
    private static let readOnlyBecauseMoved = SQLITE_READONLY | 4 << 8

    /// `SQLITE_CONSTRAINT_PRIMARYKEY`, a macro that Swift does not import.
    static let primaryKeyIsTaken = SQLITE_CONSTRAINT | 6 << 8

    /// The code without its extension.
    var primaryCode: Int32 { code & 0xFF }

    /// The error that is thrown.
    var error: CabinetError { translated.ofStore }

    /// All result codes of SQLite are translated here.
    private var translated: CabinetError {
        switch primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED:
            return CabinetError(
                .zoneBusy, sentence("is locked by another writer", "Try again."), retryAfterSeconds: 1)
        case SQLITE_FULL:
            return CabinetError(.quotaExceeded, sentence("cannot grow", "Free space on its disk and try again."))
        case SQLITE_READONLY where code == Self.readOnlyBecauseMoved:
            return Self.moved(path: path)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            return CabinetError(
                .permissionFailure,
                sentence("cannot be written", "Make the file and its directory writable for this user."))
        case SQLITE_CANTOPEN:
            return cannotOpen
        case SQLITE_IOERR:
            if [ENOSPC, EDQUOT, EFBIG].contains(systemError) {
                return CabinetError(.quotaExceeded, sentence("cannot grow", "Free space on its disk and try again."))
            }
            return CabinetError(.internalError, sentence("cannot be read or written", "Check its disk."))
        case SQLITE_CORRUPT:
            return CabinetError(
                .internalError,
                sentence("is damaged", "Restore it from a backup, or salvage it with the sqlite3 shell's '.recover'."))
        case SQLITE_NOTADB:
            return CabinetError(
                .internalError, sentence("is not an SQLite database", "Move it away, or restore it from a backup."))
        case SQLITE_TOOBIG:
            return CabinetError(
                .limitExceeded, sentence("cannot hold a value or a row this large", "Save smaller values."))
        case SQLITE_NOMEM:
            return CabinetError(
                .serviceUnavailable, sentence("needs more memory than is available", "Try again later."),
                retryAfterSeconds: 1)
        case SQLITE_INTERRUPT:
            return CabinetError(
                .operationCancelled, sentence("was being used when the work was interrupted", "Try again."))
        case SQLITE_ERROR where message.hasPrefix("too many columns"):
            return CabinetError(
                .limitExceeded, sentence("has a table with too many columns", "A record type holds about 2,000 fields.")
            )
        default:
            return CabinetError(
                .internalError, sentence("failed", "If its tables were changed by hand, undo that."))
        }
    }

    private var cannotOpen: CabinetError {
        switch systemError {
        case EACCES, EPERM, EROFS:
            CabinetError(
                .permissionFailure,
                sentence("cannot be opened", "Make the file and its directory readable and writable for this user."))
        case ENOSPC, EDQUOT:
            CabinetError(.quotaExceeded, sentence("cannot be created", "Free space on its disk and try again."))
        case EMFILE, ENFILE:
            CabinetError(
                .serviceUnavailable,
                sentence(
                    "cannot be opened",
                    "Lower 'maximumOpenDatabases', or let the process open more files (ulimit -n)."),
                retryAfterSeconds: 1)
        case ENOENT where StoreFile.isReadOnly(path):
            // The log is missing, and cannot be created beside the file.
            CabinetError(
                .permissionFailure,
                sentence("is in a read-only location", "Make the file and its directory writable for this user.")
            )
        default:
            CabinetError(
                .badContainer,
                sentence("cannot be opened", "Check that its directory exists and that this user may write there."))
        }
    }

    private func sentence(_ what: String, _ advice: String) -> String {
        var reason = message
        if systemError != 0 { reason += ", \(String(cString: strerror(systemError)))" }
        if primaryCode == SQLITE_ERROR, let statement { reason += " in: \(statement)" }
        return "The store's file \(path) \(what) (SQLite \(code): \(reason)). \(advice)"
    }

    /// The error for an open file that is no longer at its path.
    static func moved(path: String) -> CabinetError {
        CabinetError(
            .badContainer,
            "The store's file \(path) was deleted, moved or replaced while it was open. Put it back, or close "
                + "the backend and open the store again."
        ).ofStore
    }

    /// The error for a write to a file that may only be read.
    static func readOnly(path: String) -> CabinetError {
        CabinetError(
            .permissionFailure,
            "The store's file \(path) can only be read: this user may not write to the file or its directory, or the disk is "
                + "read-only. Make both writable for this user."
        ).ofStore
    }

    /// The error for a file that was changed while it was read without locks.
    static func changed(path: String) -> CabinetError {
        CabinetError(
            .zoneBusy,
            "Another process has changed the store's file \(path) while it was read. This user may not write beside the file, so "
                + "reading could not exclude that. Try again.", retryAfterSeconds: 1)
    }

    /// The error for invalid contents of a file.
    static func damaged(path: String, _ what: String) -> CabinetError {
        CabinetError(
            .internalError,
            "The store's file \(path) is damaged or was changed by hand: \(what). Undo the change, or restore a backup."
        )
    }

    /// The error for invalid JSON in the column of a list field.
    static let damagedList = CabinetError(
        .internalError, "A list field contains an invalid value. Undo the change that was made by hand.")
}
