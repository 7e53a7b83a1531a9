/// The databases that an account, or its absence, permits to read and write.
///
/// Without an account, the public database can be read and nothing can be written (CKContainer.h).
struct AccountRule: Sendable {
    let account: Account?

    static let notAuthenticated = CabinetError(
        .notAuthenticated,
        "The container has no account. Only the public database can be read without one; create the container with an account."
    )

    /// Returns the database that a scope stands for.
    func databaseToRead(_ scope: DatabaseScope) throws(CabinetError) -> DatabaseKey {
        switch scope {
        case .public: .public
        case .private: .private(owner: try user())
        case .shared: .shared(owner: try user())
        }
    }

    /// Returns the database that a scope stands for, and the user who changes it.
    func databaseToWrite(_ scope: DatabaseScope) throws(CabinetError) -> (key: DatabaseKey, user: String) {
        let user = try user()
        return (try databaseToRead(scope), user)
    }

    private func user() throws(CabinetError) -> String {
        guard let account else { throw Self.notAuthenticated }
        return account.userRecordName
    }
}
