import Cabinet
public import Foundation

extension AccountStore {
    /// An API token, which names a program in CloudKit's dialect, and signs no user in.
    public struct APIToken: Sendable, Hashable, Codable {
        /// The name by which an operator knows the token.
        public let name: String
        /// The date on which the token was added.
        public let date: Date
        /// The page of the program to which the browser returns after a sign-in; `nil` for none.
        public let callbackURL: URL?
        /// The hash of the token.
        let hash: String

        static func key(_ hash: String) -> StorageKey { StorageKey("account", "token", hash) }
    }

    /// Adds an API token.
    ///
    /// - Parameters:
    ///   - name: The name by which an operator knows the token.
    ///   - callbackURL: The page of the program to which the browser returns after a sign-in: one of `https`, or of this machine.
    /// - Returns: The token, which is not stored, and cannot be shown again.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the name is malformed or taken, or the page is another one,
    ///   and the errors of the store.
    public func addToken(_ name: String, callbackURL: URL? = nil) async throws -> String {
        try Self.check(name)
        if let callbackURL, !Self.isAllowed(callbackURL) {
            throw CabinetError(
                .invalidArguments,
                "The page to return to is not a URL of https, or of http on this machine, without a fragment.")
        }
        let text = TokenHash.newToken()
        let token = APIToken(name: name, date: now(), callbackURL: callbackURL, hash: TokenHash(of: text).text)
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

    func apiToken(_ hash: TokenHash) async throws -> APIToken? {
        try await backend.read(Self.database) { try await $0.value(APIToken.key(hash.text)) }
    }

    /// Whether a token may be sent to a page.
    private static func isAllowed(_ url: URL) -> Bool {
        guard let host = url.host(), !host.isEmpty, url.user() == nil, url.fragment() == nil else { return false }
        return url.scheme == "https" || url.scheme == "http" && ["localhost", "127.0.0.1", "::1"].contains(host)
    }

    private static var tokenKeys: Range<StorageKey> { StorageKey.all("account", "token") }
}
