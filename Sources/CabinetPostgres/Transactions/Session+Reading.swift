import Cabinet

/// How a read uses its connection: on the connection's thread, where its body runs, and to which tasks that the body starts hop.
extension Session {
    /// Sends what finds something, and makes it of the answers: one round trip.
    ///
    /// - Parameter begin: Enqueues the statements, and returns what makes the result of their answers; `nil` if one answer decides
    ///   which statement is next.
    /// - Returns: The result; `nil` if nothing was sent.
    func inOneTrip<Output: Sendable>(
        _ begin: @escaping @Sendable (DatabaseView) throws -> (() throws -> Output)?
    ) async throws -> Output? {
        try await wait(isGuessing: true) { view in
            guard let finish = try begin(view) else { return nil }
            try view.connection.flush()
            return try finish()
        }
    }

    /// Does something that waits for the server.
    func wait<Output: Sendable>(
        isGuessing: Bool = false, _ body: @escaping @Sendable (DatabaseView) throws -> Output
    ) async throws -> Output {
        if executor.isCurrent { return try use(isGuessing: isGuessing, body) }
        return try await executor.run { try self.use(isGuessing: isGuessing, body) }
    }
}
