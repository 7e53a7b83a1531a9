import Cabinet
public import Foundation

extension AccountStore {
    /// An API token, which names a program in CloudKit's dialect, and signs no user in.
    public struct APIToken: Sendable, Hashable, Codable {
        /// The name by which an operator knows the token.
        public let name: String
        /// The date on which the token was added.
        public let date: Date
        /// The hash of the token.
        let hash: String

        static func key(_ hash: String) -> StorageKey { StorageKey("account", "token", hash) }
    }

    /// Adds an API token.
    ///
    /// - Parameter name: The name by which an operator knows the token.
    /// - Returns: The token, which is not stored, and cannot be shown again.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the name is malformed or taken, and the errors of the store.
    public func addToken(_ name: String) async throws -> String {
        try Self.check(name)
        let text = TokenHash.newToken()
        let token = APIToken(name: name, date: now(), hash: TokenHash(of: text).text)
        try await backend.write(Self.database) { transaction in
            let entries = try await transaction.entries(in: Self.tokenKeys, limit: .max)
            if try entries.contains(where: { (try StorageEntry.value($0.text) as APIToken).name == name }) {
                throw CabinetError(.invalidArguments, "There is a token '\(name)' already.")
            }
            try await transaction.apply([.setEntry(APIToken.key(token.hash), try StorageEntry.text(token))])
        }
        return text
    }

    /// Returns all API tokens, by name.
    ///
    /// - Throws: The errors of the store.
    public func tokens() async throws -> [APIToken] {
        let tokens: [APIToken] = try await values(Self.tokenKeys)
        return tokens.sorted { $0.name < $1.name }
    }

    /// Removes an API token.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/unknownItem`` if there is no such token, and the errors of the store.
    public func revokeToken(_ name: String) async throws {
        guard let token = try await tokens().first(where: { $0.name == name }) else {
            throw CabinetError(.unknownItem, "There is no token '\(name)'.")
        }
        try await backend.write(Self.database) { transaction in
            try await transaction.apply([.setEntry(APIToken.key(token.hash), nil)])
        }
    }

    func hasAPIToken(_ hash: TokenHash) async throws -> Bool {
        try await backend.read(Self.database) { snapshot in
            let token: APIToken? = try await snapshot.value(APIToken.key(hash.text))
            return token != nil
        }
    }

    private static var tokenKeys: Range<StorageKey> { StorageKey.all("account", "token") }
}
