import Cabinet

extension ShoppingStore {
    /// Shows the records of a query, and again after each change, until it fails or the store is closed.
    ///
    /// If a server is temporarily unreachable, it waits for the server.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - database: The user's own database, or a zone of it or of another user.
    ///   - isolation: The actor of the caller, on which `show` is called.
    ///   - show: A closure that shows the records.
    func watch<Fields: NamedFields>(
        _ query: Query, in database: Database, isolation: isolated (any Actor)? = #isolation,
        show: ([Typed<Fields>]) -> Void
    ) async throws {
        var changes = database.observe(query).makeAsyncIterator()
        while true {
            do {
                guard let records = try await changes.next() else { return }
                show(records.typed(as: Fields.self))
            } catch let error as CabinetError {
                guard let delay = error.retryAfterSeconds else { throw error }
                try await Task.sleep(for: .seconds(delay))
            }
        }
    }
}
