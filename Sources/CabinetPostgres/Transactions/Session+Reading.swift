import Cabinet

/// How a read uses its connection: from whatever thread asks, on which nobody may wait for the server.
///
/// A read's body runs on the connection's thread, which may wait. Tasks that it starts run elsewhere: an answer is looked out for on the
/// spot for a moment, and one hops to the connection's thread only if it does not come: see ``Connection/launchLookingOut()``.
extension Session {
    /// Sends what finds something, and makes it of the answers.
    ///
    /// - Parameter begin: Enqueues the statements, and returns what makes the result of their answers; `nil` if one answer decides
    ///   which statement is next.
    /// - Returns: The result; `nil` if nothing was sent.
    func fly<Output>(_ begin: (DatabaseView) throws -> (() throws -> Output)?) async throws -> Output? {
        var flight: Flight?
        var finish: (() throws -> Output)?
        do {
            try use(isGuessing: true) { view in
                finish = try begin(view)
                if finish != nil { flight = try view.connection.launchLookingOut() }
            }
        } catch {
            // What failed before anything was read may have failed because of what was only guessed.
            if isGuessed { try await wait { _ in } }
            throw error
        }
        guard let flight, let finish else { return nil }
        if !flight.isOver { try await wait(isGuessing: true) { _ = try $0.connection.land(flight) } }
        return try use(isGuessing: true) { _ in
            if let failure = flight.failure { throw failure }
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
