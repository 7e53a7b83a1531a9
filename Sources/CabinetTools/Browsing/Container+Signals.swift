package import Cabinet

extension Container {
    /// Returns a stream with an element whenever a database may have changed.
    ///
    /// A store without signals is asked once a second.
    package func changeSignals(of scope: DatabaseScope) async throws -> AsyncStream<Void> {
        let database = try await key(of: scope)
        if let signals = backend.abilities.signals { return signals.changeSignals(of: database) }
        return AsyncStream { try? await Task.sleep(for: .seconds(1)) }
    }

    /// Returns the key under which the store has a database of the account.
    package func key(of scope: DatabaseScope) async throws -> DatabaseKey {
        switch scope {
        case .public: .public
        case .private: .private(owner: try await userRecordID().recordName)
        case .shared: .shared(owner: try await userRecordID().recordName)
        }
    }
}
