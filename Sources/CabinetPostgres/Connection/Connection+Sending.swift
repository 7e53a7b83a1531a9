import CPostgreSQL
import Cabinet

/// The sending of statements, before their answers are awaited.
extension Connection {
    /// Sends the enqueued statements without waiting for the answers, so that the server can start on them.
    func push() throws {
        // Only now does a pooler give the server connection to the next client.
        if isPooled, let last = pending.last?.statement, [Self.rollback, Self.endOfRead].contains(last) {
            guard PQpipelineSync(handle) == 1 else { throw connectionFailure() }
            pending.append(PendingStatement(statement: "", isEnd: true))
        }
        _ = try sendSome()
    }

    /// Sends the enqueued statements as ``push()`` does, and waits until the system has taken all of them.
    ///
    /// libpq moves the unsent rest in memory after each part that the system takes, so much of it would take quadratic time.
    func pushAll() async throws {
        try push()
        while try sendSome() {
            // The server reads on once its answers are read.
            try await serverIsReady(toWrite: true, WorkMeter.current)
            guard PQconsumeInput(handle) == 1 else { throw connectionFailure() }
        }
    }

    /// Sends as much as the system takes.
    ///
    /// - Returns: Whether something is left.
    private func sendSome() throws -> Bool {
        let rest = PQflush(handle)
        guard rest >= 0 else { throw connectionFailure() }
        return rest > 0
    }
}
