import Cabinet
public import CabinetWire
public import Foundation

/// The sign-in of users in a browser, for programs of CloudKit's dialect.
///
/// A program opens the page that the answer to its request names, `redirectURL`. The user enters a token there, and the program gets
/// another one: a web token, which is replaced with each answer.
public protocol SignIn: Sendable {
    /// Returns the page of a program to which the browser returns, or `nil` if the program has none.
    ///
    /// - Parameters:
    ///   - apiToken: The API token of the program.
    ///   - container: The container.
    /// - Throws: ``AuthenticationError`` if there is no such API token, and the errors of the store.
    func callbackURL(ofAPIToken apiToken: String, in container: WireContainer) async throws -> URL?

    /// Returns a new web token of a user.
    ///
    /// - Parameters:
    ///   - token: The token by which the user proves the identity.
    ///   - isKept: Whether the user stays signed in for two weeks, rather than half an hour.
    ///   - container: The container.
    /// - Throws: ``AuthenticationError`` if the token is not valid, and the errors of the store.
    func webToken(for token: String, isKept: Bool, in container: WireContainer) async throws -> String
}

extension AccountStore: SignIn {
    /// Returns the page that an API token was added with.
    ///
    /// - Throws: ``AuthenticationError`` if there is no such API token, and the errors of the store.
    public func callbackURL(ofAPIToken apiToken: String, in container: WireContainer) async throws -> URL? {
        guard let token = try await self.apiToken(TokenHash(of: apiToken)) else {
            throw AuthenticationError.failed("The API token is not valid.")
        }
        return token.callbackURL
    }

    /// Returns a new web token of the user who has a token of ``signIn(_:for:)``.
    ///
    /// It belongs to the same sign-in, so that it ends with it, and neither it nor its successors are valid for longer than the token.
    ///
    /// A web token gives no other: its thief would get one whose use does not show that it was stolen.
    ///
    /// - Throws: ``AuthenticationError`` if the token is not valid, or is a web token, and the errors of the store.
    public func webToken(for token: String, isKept: Bool, in container: WireContainer) async throws -> String {
        _ = try await authenticate(token, isWebToken: false)
        let hash = TokenHash(of: token).text
        let session: Session? = try await backend.read(Self.database) { try await $0.value(Session.key(hash)) }
        guard let session else { throw AuthenticationError.failed("The token is not valid.") }
        guard session.family == nil, session.next == nil else {
            throw AuthenticationError.failed("This is a web token. Enter the token that it was made for.")
        }
        return try await signIn(
            session.user, for: isKept ? Self.sessionTime : Self.shortSessionTime, family: hash,
            limit: session.expiration)
    }
}
