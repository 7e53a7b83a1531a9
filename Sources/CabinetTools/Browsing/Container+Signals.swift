package import Cabinet

extension Container {
    /// Returns the key under which the store has a database of the account.
    package func key(of scope: DatabaseScope) async throws -> DatabaseKey {
        switch scope {
        case .public: .public
        case .private: .private(owner: try await userRecordID().recordName)
        case .shared: .shared(owner: try await userRecordID().recordName)
        }
    }
}
