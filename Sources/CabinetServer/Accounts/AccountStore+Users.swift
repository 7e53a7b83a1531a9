import Cabinet
public import Foundation

extension AccountStore {
    /// A user of a server.
    public struct User: Sendable, Hashable, Codable {
        /// The name by which an operator knows the user.
        public let name: String
        /// The record name, which is the user's identity in the container.
        public let userRecordName: String
        /// The address by which other users find this one; `nil` for none.
        public var email: String?
        /// The roles, which the grants of a schema can name.
        public var roles: [String]
        /// Whether the user's tokens are refused.
        public var isDisabled = false
        /// The date on which the user was added.
        public let date: Date

        static func key(_ name: String) -> StorageKey { StorageKey("account", "user", name) }
    }

    /// Adds a user.
    ///
    /// - Parameters:
    ///   - name: The name by which an operator knows the user: 1 to 64 letters, digits, dots, hyphens, underscores and at signs.
    ///   - email: The address by which other users find this one.
    ///   - roles: The roles.
    /// - Returns: The user, with a new record name.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the name is malformed or taken, or the address is taken, and the
    ///   errors of the store.
    @discardableResult
    public func addUser(_ name: String, email: String? = nil, roles: Set<String> = []) async throws -> User {
        try Self.check(name)
        for role in roles.sorted() { try NameRule.role.validate(role) }
        let user = User(
            name: name, userRecordName: "_\(RandomBytes.hexadecimal(16))", email: email, roles: roles.sorted(),
            isDisabled: false,
            date: now())
        try await addLookups()
        try await backend.write(Self.database) { transaction in
            let same: User? = try await transaction.value(User.key(name))
            if same != nil { throw CabinetError(.invalidArguments, "There is a user '\(name)' already.") }
            if let email, try await transaction.users([.emailAddress(email)]) != [nil] {
                throw CabinetError(.invalidArguments, "Another user has the address '\(email)'.")
            }
            try await transaction.apply(
                user.lookupEntries + [.setEntry(User.key(name), try StorageEntry.text(user))])
        }
        return user
    }

    /// Returns all users, by name.
    ///
    /// - Throws: The errors of the store.
    public func users() async throws -> [User] {
        try await values(StorageKey.all("account", "user"))
    }

    /// Enables or disables a user.
    ///
    /// The tokens of a disabled user are refused.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/unknownItem`` if there is no such user, and the errors of the store.
    public func setDisabled(_ isDisabled: Bool, user name: String) async throws {
        try await backend.write(Self.database) { transaction in
            var user = try await Self.user(name, in: transaction)
            user.isDisabled = isDisabled
            try await transaction.apply([.setEntry(User.key(name), try StorageEntry.text(user))])
        }
        forget()
    }

    static func user(_ name: String, in snapshot: any StorageSnapshot) async throws -> User {
        guard let user: User = try await snapshot.value(User.key(name)) else {
            throw CabinetError(.unknownItem, "There is no user '\(name)'.")
        }
        return user
    }

    /// Returns the values under a range of keys.
    func values<Value: Decodable & Sendable>(_ range: Range<StorageKey>) async throws -> [Value] {
        try await backend.read(Self.database) { snapshot in
            try await snapshot.entries(in: range, limit: .max).map { try StorageEntry.value($0.text) }
        }
    }

    /// Throws if a name of a user, a token or a key is malformed.
    static func check(_ name: String) throws(CabinetError) {
        guard (try? #/[A-Za-z0-9._@-]{1,64}/#.wholeMatch(in: name)) != nil else {
            throw CabinetError(
                .invalidArguments,
                "A name has 1 to 64 letters, digits, dots, hyphens, underscores and at signs; '\(name.prefix(64))' is another text."
            )
        }
    }
}
