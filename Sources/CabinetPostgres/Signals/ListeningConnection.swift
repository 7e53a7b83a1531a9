import CPostgreSQL

/// A connection that receives announcements, which one task uses after it was opened on a thread for blocking calls.
// Unchecked, and safe: the executor's thread hands it over, and only the listener's task uses it from then on.
final class ListeningConnection: @unchecked Sendable {
    private let connection: Connection

    /// The socket, which can be read when announcements have arrived.
    let descriptor: Int32

    /// The server, for messages.
    let server: String

    init(_ connection: Connection) {
        self.connection = connection
        descriptor = PQsocket(connection.handle)
        server = connection.server
    }

    /// Returns the announcements that have arrived.
    ///
    /// - Throws: ``PostgresFailure`` if the connection is broken.
    func announcements() throws -> [Announcement] {
        guard PQconsumeInput(connection.handle) == 1, !connection.isBroken else {
            throw PostgresFailure(state: "08006", message: "the connection broke", server: server)
        }
        var found: [Announcement] = []
        while let notification = PQnotifies(connection.handle) {
            defer { PQfreemem(notification) }
            let payload = notification.pointee.extra.map { String(cString: $0) }
            if let announcement = payload.flatMap({ Announcement(payload: $0) }) { found.append(announcement) }
        }
        return found
    }
}
