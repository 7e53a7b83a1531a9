public import Cabinet
public import CabinetWire
public import Foundation

/// A check of credentials, which finds the user that a request acts for.
///
/// ```swift
/// struct OneToken: Authenticator {
///     func authenticate(
///         _ request: HTTPRequest, body: Data, in container: WireContainer
///     ) async throws -> Authentication {
///         guard let token = request.bearerToken else { return .anonymous }
///         guard token == "secret" else {
///             throw AuthenticationError.failed("Wrong token.")
///         }
///         return Authentication(Account(userRecordName: "_ann"))
///     }
/// }
/// ```
///
/// A server asks for each request, and for each stream of signals again and again, so an authenticator caches what is expensive
/// to find, and compares secrets by their hashes.
public protocol Authenticator: Sendable {
    /// Returns the user of a request.
    ///
    /// - Parameters:
    ///   - request: The request; its body was read.
    ///   - body: The bytes of the body, which a signature may cover.
    ///   - container: The container that the request is for.
    /// - Returns: The user, or ``Authentication/anonymous`` if the request has no credentials.
    /// - Throws: ``AuthenticationError`` if it has credentials that are not valid, and the errors of a store of users.
    func authenticate(_ request: HTTPRequest, body: Data, in container: WireContainer) async throws -> Authentication

    /// Returns whether the credentials of a request cover its body, and checks what can be checked without it.
    ///
    /// A server asks before it reads a large body, and if the credentials do not cover it, has them checked first: a client with wrong
    /// ones takes no memory. By default they cover the body.
    ///
    /// - Parameters:
    ///   - request: The request; its body was not read.
    ///   - container: The container that the request is for.
    /// - Throws: ``AuthenticationError`` if the credentials are not valid with any body, and the errors of a store of users.
    func needsBody(of request: HTTPRequest, in container: WireContainer) async throws -> Bool
}

extension Authenticator {
    /// Returns `true`.
    public func needsBody(of request: HTTPRequest, in container: WireContainer) async throws -> Bool { true }
}

/// The user of a request, as its credentials prove.
public struct Authentication: Sendable {
    /// The user and the user's roles; `nil` for a request without credentials, which can read the public database alone.
    public var account: Account?
    /// Whether the credentials are those of a server, which reach the public database alone.
    public var isServer: Bool
    /// The web token with which the client's next request comes, if the token of this request was used up.
    public var nextWebToken: String?

    /// Creates the result of an authentication.
    ///
    /// - Parameters:
    ///   - account: The user, or `nil`.
    ///   - isServer: Whether the credentials are those of a server.
    ///   - nextWebToken: The web token of the client's next request.
    public init(_ account: Account?, isServer: Bool = false, nextWebToken: String? = nil) {
        self.account = account
        self.isServer = isServer
        self.nextWebToken = nextWebToken
    }

    /// The result for a request without credentials.
    public static let anonymous = Authentication(nil)
}

/// The reason why credentials are refused.
public enum AuthenticationError: Error, Sendable, Hashable {
    /// The credentials are wrong, or were revoked.
    case failed(String)
    /// The user has to sign in again, because the sign-in has expired.
    case expired(String)

    /// The reason, for the author of the request.
    var message: String {
        switch self {
        case .failed(let message), .expired(let message): message
        }
    }
}

extension HTTPRequest {
    /// The token of `Authorization: Bearer`, or `nil` without that field.
    public var bearerToken: String? {
        // Bytes, and not a regular expression, which would be compiled for each request.
        guard let value = headerFields[.authorization].map({ Array($0.utf8) }), value.first != UInt8(ascii: " ")
        else { return nil }
        let parts = value.split(separator: UInt8(ascii: " "))
        guard parts.count == 2, String(decoding: parts[0], as: UTF8.self).lowercased() == "bearer" else { return nil }
        guard let end = parts[1].lastIndex(where: { $0 != UInt8(ascii: "=") }),
            parts[1][...end].allSatisfy(Self.isTokenSymbol)
        else { return nil }
        return String(decoding: parts[1], as: UTF8.self)
    }
}

extension HTTPRequest {
    /// Whether a byte may be part of a bearer token, but for the `=` at its end (RFC 6750, section 2.1).
    private static func isTokenSymbol(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}

/// An authenticator for bearer tokens, which a function knows.
///
/// ```swift
/// let authenticator = BearerAuthenticator { token, container in
///     try await users.account(ofToken: token)
/// }
/// ```
///
/// The web token of CloudKit's clients, `ckWebAuthToken` or `ckSession` in the query, is a bearer token too.
public struct BearerAuthenticator: Authenticator {
    private let account: @Sendable (String, WireContainer) async throws -> Account?

    /// Creates an authenticator.
    ///
    /// - Parameter account: Returns the account that a token belongs to, or `nil` for a token that is not valid.
    public init(_ account: @escaping @Sendable (_ token: String, _ container: WireContainer) async throws -> Account?) {
        self.account = account
    }

    /// Returns `false`.
    public func needsBody(of request: HTTPRequest, in container: WireContainer) async throws -> Bool { false }

    /// Returns the user of the request's token.
    public func authenticate(
        _ request: HTTPRequest, body: Data, in container: WireContainer
    ) async throws -> Authentication {
        guard let token = request.bearerToken ?? request.webToken else {
            guard request.headerFields[.authorization] == nil else {
                throw AuthenticationError.failed("The field 'Authorization' has no bearer token.")
            }
            return .anonymous
        }
        guard let account = try await account(token, container) else {
            throw AuthenticationError.failed("The token is not valid.")
        }
        return Authentication(account)
    }
}

extension HTTPRequest {
    /// The items of the query by name, the first of each; none if the query is malformed.
    func queryItem(_ name: String) -> String? {
        guard let query, let target = try? RequestTarget("/?\(query)") else { return nil }
        return target[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The names of the web token in a query; the second is that of older clients.
    private static let webTokenNames = ["ckWebAuthToken", "ckSession"]

    /// The web token of the query.
    var webToken: String? { Self.webTokenNames.lazy.compactMap(queryItem).first }

    /// Whether the query has a web token, which need not be valid.
    var hasWebToken: Bool { query.map { query in Self.webTokenNames.contains { query.contains("\($0)=") } } ?? false }
}
