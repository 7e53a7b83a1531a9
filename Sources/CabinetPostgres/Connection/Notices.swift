import CPostgreSQL

/// The notices of a server, which libpq would write to the standard error stream.
// Unchecked, and safe: libpq calls the receiver only within calls of the connection that owns this, which one caller makes at a time.
final class Notices: @unchecked Sendable {
    /// Whether a commit has stopped waiting for a synchronous standby.
    var hasUnconfirmedCommit = false

    /// Receives the notices of a connection, which must end before this.
    func receive(from connection: OpaquePointer) {
        PQsetNoticeReceiver(
            connection,
            { context, notice in
                guard let context, let notice else { return }
                // The texts depend on the server's language; the name of its function does not.
                let function = PQresultErrorField(notice, Int32(UInt8(ascii: "R"))).map { String(cString: $0) }
                guard function == "SyncRepWaitForLSN" else { return }
                Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().hasUnconfirmedCommit = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
