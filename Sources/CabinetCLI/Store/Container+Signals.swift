import Cabinet

extension Container {
    /// Returns a stream with an element whenever a database may have changed.
    ///
    /// A store without signals is asked once a second.
    func changeSignals(of scope: DatabaseScope) async throws -> AsyncStream<Void> {
        let database: DatabaseKey
        switch scope {
        case .public: database = .public
        case .private: database = .private(owner: try await userRecordID().recordName)
        case .shared: database = .shared(owner: try await userRecordID().recordName)
        }
        if let signals = backend.abilities.signals { return signals.changeSignals(of: database) }
        return AsyncStream { try? await Task.sleep(for: .seconds(1)) }
    }
}
