public import Cabinet
public import CabinetWire
public import Foundation
import Synchronization

/// The users of a server and their tokens, as entries of the store whose records they use.
///
/// ```swift
/// let accounts = AccountStore(backend)
/// let user = try await accounts.addUser("ann")
/// let token = try await accounts.signIn("ann")
/// let server = RecordServer([container: service], authenticator: accounts)
/// ```
///
/// All servers of one store share them. Of a token the store has the SHA-256 checksum alone, so that a copy of the store signs no user in.
/// A server remembers a token that it has found for ten seconds, which is the time in which a revocation takes effect.
public final class AccountStore: Authenticator, UserDirectory {
    let backend: any StorageBackend
    let now: @Sendable () -> Date
    let known = KnownTokens()
    /// Whether all users of the store can be looked up.
    let hasLookups = Atomic(false)

    /// The number of seconds for which a token is remembered.
    static let memory: TimeInterval = 10

    /// Creates the accounts of a store.
    ///
    /// - Parameters:
    ///   - backend: The store, which stays open.
    ///   - now: The clock.
    public init(_ backend: any StorageBackend, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.backend, self.now) = (backend, now)
    }

    /// Returns the user of a request's token.
    ///
    /// The token is that of `Authorization: Bearer`, or `ckWebAuthToken` in the query. A server signs its requests with a key instead.
    ///
    /// - Throws: ``AuthenticationError`` if the token is unknown, expired, or of a disabled user, and the errors of the store.
    public func authenticate(
        _ request: HTTPRequest, body: Data, in container: WireContainer
    ) async throws -> Authentication {
        if let keyID = request.headerFields[.cloudKitKeyID] {
            return try await authenticateServer(keyID, request, body: body)
        }
        if let token = request.queryItem("ckAPIToken"), try await apiToken(TokenHash(of: token)) == nil {
            throw AuthenticationError.failed("The API token is not valid.")
        }
        if let token = request.bearerToken { return try await authenticate(token, isWebToken: false) }
        guard request.headerFields[.authorization] == nil else {
            throw AuthenticationError.failed("The field 'Authorization' has no bearer token.")
        }
        guard let token = request.webToken else { return .anonymous }
        // Cabinet's dialect answers no next token, and its streams go on with the token that they were asked for with.
        return try await authenticate(token, isWebToken: !request.path.hasPrefix("/cabinet/"))
    }

    /// Returns whether a server has signed a request, and throws unless its date is near and there is such a key.
    public func needsBody(of request: HTTPRequest, in container: WireContainer) async throws -> Bool {
        guard let keyID = request.headerFields[.cloudKitKeyID] else { return false }
        _ = try await signingKey(keyID, request)
        return true
    }

    /// Forgets the tokens that were found, so that a change takes effect in this process at once.
    func forget() { known.forget() }

    /// Returns the secret that all servers of the store share, which the first one creates.
    ///
    /// - Throws: The errors of the store.
    public func secret() async throws -> ServerSecret {
        let key = StorageKey("server", "secret")
        let new = Data(RandomBytes.make(32))
        let stored: Data = try await backend.write(Self.database) { transaction in
            if let stored: Data = try await transaction.value(key) { return stored }
            try await transaction.apply([.setEntry(key, try StorageEntry.text(new))])
            return new
        }
        return try ServerSecret(stored)
    }

    /// The database whose entries the accounts are.
    static let database = DatabaseKey.public
}

/// The SHA-256 checksum of a token.
struct TokenHash: Hashable, Sendable {
    private let checksum: Asset.Checksum

    init(of token: String) {
        checksum = Asset.Checksum(of: Data(token.utf8))
    }

    /// The checksum in hexadecimal digits.
    var text: String { checksum.description }

    /// A new token of 256 random bits, in letters, digits, `-` and `_`.
    static func newToken() -> String { URLBase64.random(32) }
}

extension StorageSnapshot {
    /// Returns the value that is stored under a key.
    func value<Value: Decodable>(_ key: StorageKey) async throws -> Value? {
        try await load(StorageKeys(entries: [key])).entries.first.flatMap { $0 }.map { try StorageEntry.value($0) }
    }
}

extension StorageEntry {
    /// Returns the text of an entry for a value.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Returns the value of an entry's text.
    static func value<Value: Decodable>(_ text: String) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw CabinetError(.internalError, "An entry of the server's accounts is damaged.", underlyingError: error)
        }
    }
}
