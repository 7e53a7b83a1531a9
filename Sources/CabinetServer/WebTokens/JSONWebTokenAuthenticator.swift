import Cabinet
public import CabinetWire
public import Foundation
import Synchronization

/// An authenticator for the JSON Web Tokens of an identity provider, signed with ES256 or RS256.
///
/// ```swift
/// let authenticator = JSONWebTokenAuthenticator(
///     .init(issuer: "https://id.example.com", audience: "notes"),
///     keys: try JSONWebKeySet(Data(contentsOf: file)), fallback: accounts)
/// ```
///
/// A token comes as `Authorization: Bearer`. It needs the claims `iss`, `aud`, `exp` and `sub`; `nbf` is checked too. Keys come from
/// the key set alone: no address in a token is ever opened. Requests with other credentials are those of another authenticator.
///
/// A verified token is remembered by its hash until it expires, because a signature takes longer to verify than a record to fetch.
/// ``setKeys(_:)`` forgets all tokens, so a provider revokes tokens by replacing the key.
public final class JSONWebTokenAuthenticator: Authenticator {
    /// The claims that a token must have.
    public struct Configuration: Sendable {
        /// The issuer, exactly as in `iss`.
        public var issuer: String
        /// The name of this server, which must be `aud`, or one of several.
        public var audience: String
        /// The claim with the user's roles, an array of texts; `nil` for users without roles.
        public var rolesClaim: String?
        /// The seconds by which the clocks of provider and server may differ.
        public var clockSkew: TimeInterval

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - issuer: The issuer, exactly as in `iss`.
        ///   - audience: The name of this server in `aud`.
        ///   - rolesClaim: The claim with the user's roles; names that no role can have are passed over.
        ///   - clockSkew: The seconds by which the clocks may differ; at most 300.
        public init(issuer: String, audience: String, rolesClaim: String? = nil, clockSkew: TimeInterval = 60) {
            self.issuer = issuer
            self.audience = audience
            self.rolesClaim = rolesClaim
            self.clockSkew = max(0, min(clockSkew, 300))
        }

        /// Returns the record name of the user with a subject (`sub`).
        ///
        /// It is computed from issuer and subject, so that a provider can name no user of another one.
        public func userRecordName(ofSubject subject: String) -> String {
            let bytes = Asset.Checksum(of: Data("\(issuer.utf8.count) \(issuer) \(subject)".utf8)).description
            return "_\(bytes.prefix(32))"
        }
    }

    private let configuration: Configuration
    private let fallback: any Authenticator
    private let now: @Sendable () -> Date
    private let keys: Mutex<JSONWebKeySet>
    private let known = KnownTokens()

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - configuration: The claims that a token must have.
    ///   - keys: The provider's public keys.
    ///   - fallback: The authenticator of requests without a JSON Web Token.
    ///   - now: The clock.
    public init(
        _ configuration: Configuration, keys: JSONWebKeySet, fallback: any Authenticator,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        self.fallback = fallback
        self.now = now
        self.keys = Mutex(keys)
    }

    /// Replaces the provider's keys, and forgets all tokens.
    public func setKeys(_ new: JSONWebKeySet) {
        keys.withLock { $0 = new }
        known.forget()
    }

    /// Returns `false` for a request with a JSON Web Token, and what the other authenticator returns for others.
    public func needsBody(of request: HTTPRequest, in container: WireContainer) async throws -> Bool {
        if let text = request.bearerToken, JSONWebToken.has(form: text) { return false }
        return try await fallback.needsBody(of: request, in: container)
    }

    /// Returns the user of the request's token.
    ///
    /// - Throws: ``AuthenticationError``, whose message names the claim that is wrong only if the signature is right.
    public func authenticate(
        _ request: HTTPRequest, body: Data, in container: WireContainer
    ) async throws -> Authentication {
        guard let text = request.bearerToken, JSONWebToken.has(form: text) else {
            return try await fallback.authenticate(request, body: body, in: container)
        }
        let (hash, now) = (TokenHash(of: text), now())
        if let found = known.authentication(of: hash, at: now) { return found }
        let generation = known.generation
        guard let token = JSONWebToken(text), let key = keys.withLock({ $0.key(token.keyID) }),
            key.algorithm == token.algorithm, key.isSignature(token.signature, of: token.message)
        else { throw AuthenticationError.failed("The token is not valid.") }
        let (account, end) = try check(token.claims, at: now)
        let authentication = Authentication(account)
        known.remember(authentication, of: hash, until: end, generation)
        return authentication
    }

    /// Returns the user of a token, and the date on which it expires.
    private func check(_ claims: JSONNode, at now: Date) throws(AuthenticationError) -> (Account, Date) {
        do {
            guard try claims.required("iss").string().hasSameScalars(as: configuration.issuer) else {
                throw AuthenticationError.failed("The token is of another issuer ('iss').")
            }
            let audience = try claims.required("aud")
            let names = audience.kind == .array ? try audience.strings() : [try audience.string()]
            guard names.contains(where: configuration.audience.hasSameScalars) else {
                throw AuthenticationError.failed("The token is for another server ('aud').")
            }
            let end = Date(timeIntervalSince1970: try claims.required("exp").double() + configuration.clockSkew)
            guard now < end else { throw AuthenticationError.expired("The token has expired. Sign in again.") }
            if let start = try claims["nbf"]?.double(),
                now < Date(timeIntervalSince1970: start - configuration.clockSkew)
            {
                throw AuthenticationError.failed("The token is not valid yet ('nbf').")
            }
            let subject = try claims.required("sub").string()
            guard !subject.isEmpty else { throw AuthenticationError.failed("The token has no subject ('sub').") }
            let roles = try configuration.rolesClaim.map { try Self.roles(in: claims, $0) } ?? []
            return (Account(userRecordName: configuration.userRecordName(ofSubject: subject), roles: roles), end)
        } catch let error as CabinetError {
            throw AuthenticationError.failed("The token's claims: \(error.message)")
        } catch let error as AuthenticationError {
            throw error
        } catch {
            throw AuthenticationError.failed("The token is not valid.")
        }
    }

    private static func roles(in claims: JSONNode, _ name: String) throws(CabinetError) -> Set<String> {
        guard let claim = claims.members.first(where: { $0.key.hasSameScalars(as: name) })?.value, !claim.isNull else {
            return []
        }
        return Set(try claim.strings().filter { NameRule.role.violation(in: $0) == nil })
    }
}
