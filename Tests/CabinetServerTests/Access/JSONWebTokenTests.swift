import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetServer

@Suite("JSON Web Tokens")
struct JSONWebTokenTests {
    private static let keys = "[\(TokenVector.curveKey),\(TokenVector.rsaKey)]"
    private static let configuration = JSONWebTokenAuthenticator.Configuration(
        issuer: "https://id.example.com", audience: "notes", rolesClaim: "roles")

    private let clock = TestClock(Date(timeIntervalSince1970: 1_800_000_000))

    private static func keySet(_ keys: String) throws -> JSONWebKeySet {
        try JSONWebKeySet(Data(#"{"keys":\#(keys)}"#.utf8))
    }

    private func authenticator(_ keys: String = Self.keys) throws -> JSONWebTokenAuthenticator {
        let fallback = BearerAuthenticator { token, _ in token == "own" ? Account(userRecordName: "_own") : nil }
        return JSONWebTokenAuthenticator(
            Self.configuration, keys: try Self.keySet(keys), fallback: fallback, now: clock.now)
    }

    private func authenticate(_ token: String, by authenticator: JSONWebTokenAuthenticator) async throws -> Account? {
        let field = try HTTPField(name: .authorization, value: "Bearer \(token)")
        let request = HTTPRequest(method: .post, path: "/", headerFields: HTTPFields([field]))
        return try await authenticator.authenticate(request, body: Data(), in: TestServer.container).account
    }

    @Test(
        "of the issuer for the server are accepted, with ES256 and RS256",
        arguments: [TokenVector.whole, .audiences, .accessToken, .rsa])
    func accepted(vector: TokenVector) async throws {
        let account = try #require(try await authenticate(vector.token, by: try authenticator()))
        #expect(account.userRecordName == Self.configuration.userRecordName(ofSubject: "ann"))
        #expect(account.roles == (vector.token == TokenVector.whole.token ? ["Editor"] : []))
        #expect(account.userRecordName.wholeMatch(of: #/_[0-9a-f]{32}/#) != nil)
    }

    @Test(
        "that are not valid are refused without a reason",
        arguments: [
            TokenVector.notObject, .twice, .critical, .type, .unnamed, .unknownKey, .address, .none, .otherAlgorithm,
        ])
    func refused(vector: TokenVector) async throws {
        await expectFailure("The token is not valid.") { try await authenticate(vector.token, by: try authenticator()) }
    }

    @Test(
        "of others, or without a claim, are refused with the claim's name",
        arguments: [
            (TokenVector.noExpiration, "exp"), (.textExpiration, "exp"), (.otherAudience, "aud"), (.otherIssuer, "iss"),
            (.noSubject, "sub"), (.rolesText, "roles"),
        ])
    func claims(vector: TokenVector, name: String) async throws {
        do {
            _ = try await authenticate(vector.token, by: try authenticator())
            Issue.record("The token is accepted.")
        } catch let error as AuthenticationError {
            #expect(error.message.contains("'\(name)'"), "\(error.message)")
        }
    }

    @Test("are compared by scalars: an audience and a claim in another normal form are others")
    func normalForms() async throws {
        // The key is made for this token alone.
        let keys = try Self.keySet(
            """
            [{"kty":"EC","crv":"P-256","kid":"n","x":"_-O58KE6XADjZp41-50fU6nQeJ4gKrX1SvCQLVQN6n0",\
            "y":"HS31XHgM2xG2CkdqeNBSI7GQn-wFMw5aa-XaaqsjkNw"}]
            """)
        let vector = TokenVector(
            #"{"alg":"ES256","kid":"n"}"#,
            #"{"iss":"https://id.example.com","aud":"caf\#u{E9}","sub":"ann","exp":1800000600,"r\#u{F4}les":["Editor"]}"#,
            "mNA5yx7w3FpfIA7r6wEdMhF5dWcB3se1uiSxaOEJn6R36scKb4hCFR-6XzfEeGrLzyeUnaoDhnv-cmr-qjsvIQ")
        func account(_ audience: String, _ rolesClaim: String) async throws -> Account? {
            let configuration = JSONWebTokenAuthenticator.Configuration(
                issuer: "https://id.example.com", audience: audience, rolesClaim: rolesClaim)
            let fallback = BearerAuthenticator { _, _ in nil }
            let authenticator = JSONWebTokenAuthenticator(configuration, keys: keys, fallback: fallback, now: clock.now)
            return try await authenticate(vector.token, by: authenticator)
        }
        #expect(try await account("caf\u{E9}", "r\u{F4}les")?.roles == ["Editor"])
        #expect(try await account("caf\u{E9}", "ro\u{302}les")?.roles == [])
        await expectFailure("The token is for another server ('aud').") {
            try await account("cafe\u{301}", "r\u{F4}les")
        }
    }

    @Test("with anything changed are refused")
    func changed() async throws {
        let authenticator = try authenticator()
        let vector = TokenVector.whole
        let parts = vector.token.split(separator: ".").map(String.init)
        let others = [
            // Another subject, with the signature of this one.
            TokenVector(vector.header, vector.claims.replacing("ann", with: "ben"), vector.signature).token,
            TokenVector(#"{"alg":"none"}"#, vector.claims, "").token,
            // An attacker knows the public key, so it must not be used as a secret.
            TokenVector(#"{"alg":"HS256","kid":"a"}"#, vector.claims, vector.signature).token,
            TokenVector(vector.header, vector.claims, URLBase64.encode([UInt8](repeating: 0, count: 64))).token,
            TokenVector(vector.header, vector.claims, vector.signature + "AAAA").token,
            "\(parts[0]).\(parts[1]).", "..", "\(parts[0])..\(parts[2])", vector.token + "=",
            TokenVector(vector.header, vector.claims + String(repeating: " ", count: 20_000), vector.signature).token,
            TokenVector(String(repeating: "[", count: 5_000), vector.claims, vector.signature).token,
        ]
        for token in others {
            await expectFailure("The token is not valid.") { try await authenticate(token, by: authenticator) }
        }
    }

    @Test("are valid between their dates, with the difference of clocks")
    func dates() async throws {
        let authenticator = try authenticator()
        clock.advance(by: -60)
        #expect(try await authenticate(TokenVector.whole.token, by: authenticator) != nil)
        clock.advance(by: 719)
        // It is remembered, and expires nevertheless.
        #expect(try await authenticate(TokenVector.whole.token, by: authenticator) != nil)
        clock.advance(by: 1)
        await #expect(throws: AuthenticationError.expired("The token has expired. Sign in again.")) {
            try await authenticate(TokenVector.whole.token, by: authenticator)
        }
        clock.advance(by: -721)
        await expectFailure("The token is not valid yet ('nbf').") {
            try await authenticate(TokenVector.whole.token, by: try self.authenticator())
        }
    }

    @Test("are refused after a change of keys, also those that were verified before")
    func rotation() async throws {
        let authenticator = try authenticator()
        #expect(try await authenticate(TokenVector.whole.token, by: authenticator) != nil)
        authenticator.setKeys(try Self.keySet("[\(TokenVector.rsaKey)]"))
        await expectFailure("The token is not valid.") {
            try await authenticate(TokenVector.whole.token, by: authenticator)
        }
        #expect(try await authenticate(TokenVector.rsa.token, by: authenticator) != nil)
    }

    @Test("need no key's name if there is one key, and leave other tokens to the next authenticator")
    func others() async throws {
        let authenticator = try authenticator("[\(TokenVector.curveKey.replacing("\"kid\":\"a\",", with: ""))]")
        #expect(try await authenticate(TokenVector.unnamed.token, by: authenticator) != nil)
        #expect(try await authenticate("own", by: authenticator)?.userRecordName == "_own")
        await expectFailure("The token is not valid.") { try await authenticate("other", by: authenticator) }
    }

    @Test(
        "come with sets of keys, which are refused if one is weak or malformed",
        arguments: [
            "{}", "[]", "[1]", #"[{"kty":"oct","k":"AAAA"}]"#, "[\(TokenVector.curveKey),\(TokenVector.curveKey)]",
            // A point off the curve, a short coordinate, and a padded one.
            "[\(TokenVector.curveKey.replacing("x\":\"I9", with: "x\":\"J9"))]",
            "[\(TokenVector.curveKey.replacing("x\":\"I9Oc", with: "x\":\""))]",
            "[\(TokenVector.curveKey.replacing("59aQ", with: "59aQ="))]",
            #"[{"kty":"RSA","e":"AQAB","n":"\#(TokenVector.smallModulus)"}]"#,
            #"[{"kty":"RSA","e":"","n":"\#(TokenVector.modulus)"}]"#, #"[{"kty":"RSA","e":"AQAB"}]"#,
        ])
    func keySets(keys: String) throws {
        #expect(throws: CabinetError(.invalidArguments)) { try Self.keySet(keys) }
    }

    @Test("come with sets of keys; keys for other purposes are passed over")
    func purposes() throws {
        let other = TokenVector.curveKey.replacing("\"use\":\"sig\"", with: "\"use\":\"enc\"").replacing(
            "\"a\"", with: "\"b\"")
        let set = try Self.keySet(#"[\#(other),\#(TokenVector.curveKey),{"kty":"EC","crv":"P-521"},{"kty":"oct"}]"#)
        #expect(set.key("a") != nil)
        #expect(set.key("b") == nil)
        let many = (0...JSONWebKeySet.maximumKeyCount).map {
            TokenVector.curveKey.replacing("\"a\"", with: "\"\($0)\"")
        }
        #expect(throws: CabinetError(.limitExceeded)) { try Self.keySet("[\(many.joined(separator: ","))]") }
    }

    private func expectFailure(
        _ message: String, _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Account?
    ) async {
        await #expect(throws: AuthenticationError.failed(message), sourceLocation: location) { try await body() }
    }
}
