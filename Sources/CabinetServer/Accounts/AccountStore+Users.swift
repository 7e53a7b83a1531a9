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
    ///   - userRecordName: The record name, such as that of the same user before a store was restored; `nil` for a new one.
    /// - Returns: The user, with the record name.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if a name is malformed or taken, or the address is taken, and the
    ///   errors of the store.
    @discardableResult
    public func addUser(
        _ name: String, email: String? = nil, roles: Set<String> = [], userRecordName: String? = nil
    ) async throws -> User {
        try Self.check(name)
        let userRecordName = userRecordName ?? "_\(RandomBytes.hexadecimal(16))"
        try NameRule.userRecordName.validate(userRecordName)
        if userRecordName == RecordZone.ID.defaultOwnerName {
            throw CabinetError(.invalidArguments, "'\(userRecordName)' stands for each user's own name.")
        }
        let user = User(
            name: name, userRecordName: userRecordName, email: email, roles: try Self.checked(roles), date: now())
        try await addLookups()
        try await backend.write(Self.database) { transaction in
            let same: User? = try await transaction.value(User.key(name))
            if same != nil { throw CabinetError(.invalidArguments, "There is a user '\(name)' already.") }
            if let email { try await transaction.checkAddress(email, of: name) }
            if let other = try await transaction.users([.userRecordName(userRecordName)])[0] {
                throw CabinetError(
                    .invalidArguments, "The user '\(other.name)' has the record name '\(userRecordName)'.")
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

    /// Changes a user; the servers of the store know it within ten seconds.
    ///
    /// - Parameters:
    ///   - name: The user's name.
    ///   - change: Sets the address, the roles, or whether the user is disabled: then its tokens are refused.
    /// - Returns: The changed user.
    /// - Throws: ``/Cabinet/CabinetError/Code/unknownItem`` if there is no such user, ``/Cabinet/CabinetError/Code/invalidArguments`` if
    ///   another user has the address, or a role is malformed, and the errors of the store.
    @discardableResult
    public func changeUser(_ name: String, _ change: @escaping @Sendable (inout User) -> Void) async throws -> User {
        try await addLookups()
        let user = try await backend.write(Self.database) { transaction in
            let known = try await Self.user(name, in: transaction)
            var user = known
            change(&user)
            user.roles = try Self.checked(Set(user.roles))
            var mutations: [StorageMutation] = []
            if user.email != known.email {
                if let email = user.email { try await transaction.checkAddress(email, of: name) }
                mutations = try known.lookupEntries.compactMap { entry in
                    if case .setEntry(let key, _) = entry { .setEntry(key, nil) } else { nil }
                }
            }
            mutations += try user.lookupEntries + [.setEntry(User.key(name), try StorageEntry.text(user))]
            try await transaction.apply(mutations)
            return user
        }
        forget()
        return user
    }

    /// Enables or disables a user.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/unknownItem`` if there is no such user, and the errors of the store.
    public func setDisabled(_ isDisabled: Bool, user name: String) async throws {
        try await changeUser(name) { $0.isDisabled = isDisabled }
    }

    private static func checked(_ roles: Set<String>) throws -> [String] {
        for role in roles.sorted() { try NameRule.role.validate(role) }
        return roles.sorted()
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

extension StorageSnapshot {
    /// Throws if another user has an address.
    fileprivate func checkAddress(_ email: String, of name: String) async throws {
        guard let user = try await users([.emailAddress(email)]).first ?? nil, user.name != name else { return }
        throw CabinetError(.invalidArguments, "Another user has the address '\(email)'.")
    }
}
