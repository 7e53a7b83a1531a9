import Cabinet
import Foundation

/// A failure that PostgreSQL or libpq reports, before it is translated to a ``/Cabinet/CabinetError``.
struct PostgresFailure: Error, Sendable {
    /// The SQLSTATE; empty for a failure of libpq itself.
    let state: String

    /// The message of the server or libpq, without secrets.
    let message: String

    /// The address of the server, for messages.
    let server: String

    /// The statement that failed, if it helps to understand the failure.
    var statement: String?

    /// The SQL that lifts a refusal, ready to be typed.
    var advice: String?

    /// Whether row-level security would have hidden rows from the statement.
    var isOfPolicy = false

    /// Whether the login has failed.
    var isOfLogin = false

    /// Whether the role may not connect to the database.
    var isOfDatabasePrivilege = false

    /// Whether a change of the schema has waited for the lock of a table until the time limit.
    var isOfSchemaLock = false

    /// Whether Cabinet itself has had the statement cancelled, because the task was.
    var isCancellation = false

    /// Whether the transaction may succeed if it is run again.
    var isConflict: Bool { Self.conflicts.contains(state) }

    /// Whether the connection cannot be used any more.
    var isLoss: Bool {
        state.isEmpty && !isUntrusted && !isOfParameters || state.hasPrefix("08") || Self.shutdowns.contains(state)
            || isTransactionTimeout
    }

    /// Whether the server has rolled a transaction back and closed the connection, because the program sent nothing for too long,
    /// or because the transaction took too long.
    var isTransactionTimeout: Bool { ["25P03", "25P04"].contains(state) }

    /// Whether one side rejects the other's certificate, or TLS, which a retry does not change.
    private var isUntrusted: Bool { state.isEmpty && Self.distrust.contains(where: message.contains) }

    /// Parts of the messages of libpq and OpenSSL in that case, which are not translated.
    private static let distrust = [
        "server certificate for", "name from server certificate", "certificate verify failed", "certificate file \"",
        "alert unknown ca", "certificate required", "alert bad certificate", "SSL was required", "private key file \"",
    ]

    /// Whether all servers can be reached, and none is of the kind that `target_session_attrs` asks for.
    ///
    /// A retry may find that a standby has been promoted.
    private var isOfOtherKind: Bool {
        let reasons = message.components(separatedBy: " failed: ").dropFirst()
        return state.isEmpty && !reasons.isEmpty
            && reasons.allSatisfy { reason in Self.otherKinds.contains(where: reason.hasPrefix) }
    }

    private static let otherKinds = [
        "session is read-only", "session is not read-only", "server is in hot standby mode",
        "server is not in hot standby mode",
    ]

    /// Whether the statement changes records.
    private var isOfChange: Bool {
        ["INSERT", "UPDATE", "DELETE"].contains { statement?.hasPrefix($0) == true }
    }

    /// Whether the role may not do something.
    var isRefusal: Bool { state == "42501" }

    /// Whether a table or the schema does not exist.
    var isMissingTable: Bool { ["42P01", "3F000"].contains(state) }

    /// Whether another transaction has created the same object first.
    var isDuplicate: Bool { ["42P06", "42P07", "42710", "42701", "23505"].contains(state) }

    /// Whether an asset was not added, because the server has lost a part of its upload.
    var isOfLostParts: Bool { state == "23502" && statement?.contains("cabinet_asset_part") == true }

    private static let conflicts: Set = ["40001", "40P01"]
    private static let shutdowns: Set = ["57P01", "57P02", "57P03", "57P05"]

    /// The error for the caller; no other code translates states.
    var error: CabinetError {
        if isCancellation { return WorkMeter.cancellation }
        // Its message names the server and the statement.
        return translated.ofStore
    }

    private var translated: CabinetError {
        switch state {
        case "55P03" where isOfSchemaLock:
            return CabinetError(
                .zoneBusy,
                sentence(
                    "could not change a table that other transactions use",
                    "Try again when long transactions, such as that of pg_dump, have ended: pg_stat_activity lists them."
                ),
                retryAfterSeconds: 1)
        case "40001", "40P01", "55P03", "55006":
            return CabinetError(
                .zoneBusy, sentence("is changing the same records for another transaction", "Try again."),
                retryAfterSeconds: 1)
        case "57014":
            return CabinetError(
                .serviceUnavailable,
                sentence(
                    "has cancelled a statement that took too long",
                    (isOfChange ? "Save less at once" : "Request less data, add an index")
                        + ", or raise 'statementTimeLimit'."), retryAfterSeconds: 5)
        case "53100":
            return CabinetError(.quotaExceeded, sentence("is full", "Free space on its disk and try again."))
        case "53400":
            return CabinetError(
                .limitExceeded,
                sentence(
                    "limits the temporary files of a statement",
                    "Request less data, add an index, or raise the server's 'temp_file_limit'."))
        case "72000":
            return CabinetError(
                .serviceUnavailable,
                sentence(
                    "no longer has the state that a read began with",
                    "Read again, in shorter reads, or raise the server's 'old_snapshot_threshold'."),
                retryAfterSeconds: 1)
        case "53000", "53200", "53300":
            return CabinetError(
                .serviceUnavailable, sentence("has no memory or connections left", "Try again later."),
                retryAfterSeconds: 5)
        case _ where Self.shutdowns.contains(state):
            return CabinetError(
                .serviceUnavailable, sentence("is stopping or starting", "Try again."), retryAfterSeconds: 2)
        case "25006":
            return CabinetError(
                .permissionFailure,
                sentence("does not allow changes", "Connect to the primary server. \(Self.readOnlySetting)"))
        case "42501":
            return CabinetError(
                .permissionFailure,
                sentence(
                    isOfDatabasePrivilege ? "does not let this role connect to the database" : "refuses this role",
                    advice ?? "Grant the role what the article 'Running PostgreSQL' says."))
        case "55000" where isOfLogin:
            return CabinetError(
                .badContainer,
                sentence(
                    "accepts no connections to this database",
                    "Allow them with ALTER DATABASE … ALLOW_CONNECTIONS true, or connect to another one."))
        case _ where isOfLostParts:
            return CabinetError(
                .unknownItem, sentence("has lost a part of an asset that was uploaded", "Upload the asset again."))
        case "3D000":
            return CabinetError(
                .badContainer, sentence("does not have this database", "Create it, or connect to another one."))
        case "54000", "54001", "54011", "54023":
            return CabinetError(
                .limitExceeded,
                sentence(
                    "cannot hold or run this much at once",
                    "Split it. The numbers, dates and short values of one record share 8 kilobytes: move fields to "
                        + "another record type, and refer to its records."))
        case "22001", "22021", "22P05":
            return CabinetError(.invalidArguments, sentence("cannot store a value", "Save another value."))
        case "26000", "42P05":
            return CabinetError(
                .badContainer,
                sentence(
                    "is behind a pooler that mixes up the prepared statements of its clients",
                    "Use session pooling, or PgBouncer 1.21 or later with max_prepared_statements above 0."))
        case "25P03":
            return CabinetError(
                .serviceUnavailable,
                sentence(
                    "has rolled back a transaction, because the program sent nothing for too long",
                    "Try again, or raise 'idleWriteTimeLimit'."), retryAfterSeconds: 1)
        case "25P04":
            return CabinetError(
                .serviceUnavailable,
                sentence(
                    "has rolled back a transaction that took too long",
                    "Change less at once, or raise the server's 'transaction_timeout'."), retryAfterSeconds: 1)
        case "" where isOfOtherKind:
            return CabinetError(
                .permissionFailure,
                sentence(
                    "is not of the kind that target_session_attrs asks for",
                    "Connect to a server that is. \(Self.readOnlySetting)"))
        case "" where isUntrusted:
            return CabinetError(
                .badContainer,
                sentence(
                    "cannot be trusted, or does not trust the program",
                    "Connect to the host that the certificate names, and check sslrootcert, sslcert and sslmode."))
        case "" where isOfParameters:
            return CabinetError(
                .badContainer,
                "libpq cannot connect with the parameters of the connection string: \(reason). Correct the string, or the "
                    + "service file or the environment variables that complete it.")
        case "":
            return CabinetError(.networkFailure, sentence("cannot be reached", "Check the network and the server."))
        default: break
        }
        switch state.prefix(2) {
        case "08":
            return CabinetError(
                .networkFailure, sentence("has dropped the connection", "Try again."), retryAfterSeconds: 1)
        case "28":
            return CabinetError(
                .badContainer, sentence("refuses the login", "Check role, password and the server's pg_hba.conf."))
        case "53":
            return CabinetError(
                .serviceUnavailable, sentence("lacks resources", "Try again later."), retryAfterSeconds: 5)
        case "XX", "58":
            return CabinetError(
                .internalError, sentence("is damaged or cannot use its disk", "Check the server's log."))
        case _ where isOfLogin:
            return CabinetError(
                .badContainer, sentence("refuses the login", "Check the parameters of the connection string."))
        default:
            return CabinetError(
                .internalError, sentence("failed", "If Cabinet's tables were changed by hand, revert the changes."))
        }
    }

    private static let readOnlySetting =
        "A primary server, too, allows no changes if the role, the database or the server has default_transaction_read_only = on: "
        + "ALTER ROLE … SET default_transaction_read_only = off allows them."

    /// The error of a commit that has stopped waiting for a synchronous standby.
    static var unconfirmed: CabinetError {
        CabinetError(
            .serverResponseLost,
            "The changes are committed on the PostgreSQL server, but a synchronous standby has not confirmed them in time: "
                + "if the server fails before it does, they may be lost. Check the standby, and fetch the records before you "
                + "save again.")
    }

    /// Returns the error for an answer that Cabinet cannot read.
    static func damaged(_ what: String) -> CabinetError {
        CabinetError(
            .internalError,
            "The PostgreSQL tables are damaged or were changed by hand: \(what). Restore them from a backup.")
    }

    /// The message on one line, as libpq divides its own by line breaks and tabs.
    private var reason: String { message.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    private func sentence(_ what: String, _ advice: String) -> String {
        var reason = reason
        if let statement, state.hasPrefix("42") || state.hasPrefix("XX") || isOfSchemaLock {
            reason += " in: \(statement.prefix(500))"
        }
        let number = state.isEmpty ? "" : "SQLSTATE \(state): "
        return "The PostgreSQL server \(server) \(what) (\(number)\(reason)). \(advice)"
    }
}
