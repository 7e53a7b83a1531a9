/// The databases that an account, or its absence, permits to read and write.
///
/// Without an account, the public database can be read and nothing can be written (CKContainer.h).
package struct AccountRule: Sendable {
    let account: Account?

    /// The server's database that the private database of the store copies; `nil` outside of a mirror.
    var mirroredScope: DatabaseScope?

    /// The error of a request that needs an account.
    package static let notAuthenticated = CabinetError(
        .notAuthenticated,
        "The container has no account. Only the public database can be read without one; create the container with an account."
    )

    /// Returns the database that a scope stands for.
    func databaseToRead(_ scope: DatabaseScope) throws(CabinetError) -> DatabaseKey {
        switch scope {
        case .public: .public
        case .private: try ownDatabase()
        case .shared: .shared(owner: try user())
        }
    }

    /// Returns the database that a scope stands for, and the user who changes it.
    func databaseToWrite(_ scope: DatabaseScope) throws(CabinetError) -> (key: DatabaseKey, user: String) {
        let user = try user()
        return (try databaseToRead(scope), user)
    }

    /// Returns the database of the user alone.
    ///
    /// A mirror has a copy of each of the three databases, with the rules of a private one: its server judges permissions. The copy of the public
    /// database is one for each user, because users read and change different records of it. No user's record name begins with a letter.
    private func ownDatabase() throws(CabinetError) -> DatabaseKey {
        let user = try user()
        return switch mirroredScope {
        case .shared: .shared(owner: user)
        case .public: .private(owner: "public of \(user)")
        case .private, nil: .private(owner: user)
        }
    }

    private func user() throws(CabinetError) -> String {
        guard let account else { throw Self.notAuthenticated }
        return account.userRecordName
    }
}
