import Cabinet
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

@Suite("Signatures of servers")
struct SignatureTests {
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEI9OcT721J5926sL4hcKPSun9nsfh
        gdzA46OYkaN7nyoixxliA1J6+vlsycl2ecZW+kejrUgaa+cVRIIWEfn1pA==
        -----END PUBLIC KEY-----
        """
    private static let path = "/database/1/iCloud.com.example.shopping/development/public/"
    private static let body = #"{"query":{"recordType":"Items"}}"#
    private static let date = "2026-01-25T22:15:43Z"

    /// The signatures of the cases A to E, made with OpenSSL.
    private static let (a, b, c, d, e) = (
        "MEQCICUy/udKmtYAg9MXvAG9XA70wPvEfaTmFU208luStobhAiA3e3QT0EXuKbnbmurbRW8Xagtgdqi4hqm5vogDiUj+mQ==",
        "MEUCIQDiTdLT0J4PkIkej+ERuGNpOE7L/oMGhYBwT5raoNsnygIgF+u00449mdvWLO0y3Tc5bDNE+pAjTB3pY0MHl1GGZ+8=",
        "MEYCIQCT7njY/MYGe8ywhqNQui0rb+3XU1+DIeYqp+8511Kh5wIhANDA8w6ElinVntYon25fFXJoEx5Xfa2WXahoJzA+s1w4",
        "MEUCIG2N0I1blG2nRtD0QiDoXGSUWc25yoXGqSN9eTDOwsY3AiEAkbTb5XddJDnUgwSCp510r8qBOz6duvzGfEOT1PMZxU8=",
        "MEUCICUy/udKmtYAg9MXvAG9XA70wPvEfaTmFU208luStobhAiEAyISL6y+6EddGJGUVJLqQ6FLbmjb+XxfbOftCv3MaJrg="
    )

    private let backend = MemoryBackend()

    private func accounts(at seconds: TimeInterval = 0) throws -> AccountStore {
        let date = try Date(Self.date, strategy: .iso8601) + seconds
        return AccountStore(backend, now: { date })
    }

    private func authenticate(
        _ signature: String, _ operation: String = "records/query", body: String = Self.body, date: String = Self.date,
        path: String = Self.path, method: HTTPRequest.Method = .post, query: String? = nil, keyID: String? = nil,
        at seconds: TimeInterval = 0
    ) async throws -> Authentication {
        let accounts = try accounts(at: seconds)
        let keys = try await accounts.keys()
        let key = keys.isEmpty ? try await accounts.addKey("server", publicKey: Self.publicKey) : keys[0]
        var fields = HTTPFields()
        for (name, value) in [("KeyID", keyID ?? key.keyID), ("ISO8601Date", date), ("SignatureV1", signature)] {
            fields.append(
                HTTPField(
                    name: try #require(HTTPField.Name("X-Apple-CloudKit-Request-\(name)")), uncheckedValue: value))
        }
        let request = HTTPRequest(method: method, path: path + operation, query: query, headerFields: fields)
        return try await accounts.authenticate(request, body: Data(body.utf8), in: TestServer.container)
    }

    @Test("of each kind of client are accepted")
    func accepted() async throws {
        let first = try await authenticate(Self.a)
        #expect(first.isServer)
        #expect(first.account != nil)
        // Two equal reads within a second have the same signature.
        #expect(try await authenticate(Self.a).account == first.account)
        #expect(try await authenticate(Self.a, query: "ckAPI=1").account == first.account)
        _ = try await authenticate(Self.b, "zones/list", body: "", method: .get)
        _ = try await authenticate(Self.c, "zones/list", body: "", method: .get)
        _ = try await authenticate(Self.d, body: Self.body + "\n")
        _ = try await authenticate(Self.e)
        for seconds in [-600.0, 600] { _ = try await authenticate(Self.a, at: seconds) }
    }

    @Test("are refused if anything differs")
    func refused() async throws {
        func refuse(_ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Authentication) async {
            await #expect(
                throws: AuthenticationError.failed("The signature is not valid."), sourceLocation: location
            ) { try await body() }
        }
        await refuse { try await authenticate(Self.a, body: Self.body + "\n") }
        await refuse { try await authenticate(Self.a, "records/lookup") }
        for (old, new) in [("public", "private"), ("development", "production"), ("shopping", "other")] {
            await refuse { try await authenticate(Self.a, path: Self.path.replacing(old, with: new)) }
        }
        await refuse { try await authenticate(Self.a, date: "2026-01-25T22:15:44Z") }
        await refuse { try await authenticate(Self.a, date: "2026-01-25T22:15:43.0Z") }
        for seconds in [-601.0, 601, 1e9] { await refuse { try await authenticate(Self.a, at: seconds) } }
        await refuse { try await authenticate(Self.a, keyID: String(repeating: "0", count: 64)) }
        await refuse { try await authenticate(Self.a, keyID: "../../key") }
        await refuse { try await authenticate(String(Self.a.prefix(40)) + "\n" + Self.a.dropFirst(40)) }
        let der = Array(try #require(Data(base64Encoded: Self.a)))
        var others: [[UInt8]] = [
            der + [0], [0x30, 0x06, 2, 1, 0, 2, 1, 0], [], [0x30, 0x80] + der.dropFirst(2) + [0, 0],
        ]
        others.append([0x30, UInt8(der.count - 1), 2, 0x21, 0] + der.dropFirst(4))
        let order: [UInt8] = Array(
            try #require(Data(base64Encoded: "AP////8AAAAA//////////+85vqtpxeehPO5ysL8YyVR")))
        others.append([0x30, 70, 2, 33] + order + [2, 33] + order)
        for other in others { await refuse { try await authenticate(Data(other).base64EncodedString()) } }
        for position in der.indices {
            var changed = der
            changed[position] ^= 1
            await refuse { try await authenticate(Data(changed).base64EncodedString()) }
        }
        let accounts = try accounts()
        try await accounts.revokeKey("server")
        let key = try await accounts.addKey("other", publicKey: Self.publicKey)
        #expect(try await accounts.keys().map(\.keyID) == [key.keyID])
    }

    @Test("are used once for a change, on all servers, in either of their two forms")
    func replays() async throws {
        let key = try await accounts().addKey("server", publicKey: Self.publicKey)
        func signature(_ text: String) throws -> ECDSASignature {
            let der = try #require(Data(base64Encoded: text))
            return try #require(ECDSASignature(der: Array(der)))
        }
        let signatures = try [signature(Self.a), signature(Self.e)]
        #expect(signatures[0].r == signatures[1].r)
        let signed = try Date(Self.date, strategy: .iso8601)
        func isFirst(_ signature: ECDSASignature, at seconds: TimeInterval) async throws -> Bool {
            try await accounts(at: seconds).isFirst(signature, by: key.keyID, at: signed)
        }
        // Within the ten minutes, 22:20 comes for one server sooner than for another.
        #expect(try await isFirst(signatures[0], at: 257.5))
        #expect(try await isFirst(signatures[1], at: 256.5) == false)
        for seconds in [-600.0, 600, 660] { #expect(try await isFirst(signatures[0], at: seconds) == false) }
        // Later the date is refused, and the entry goes with the next.
        #expect(try await accounts(at: 5_000).isFirst(signature(Self.b), by: key.keyID, at: signed + 5_000))
        let count = try await backend.read(.public) {
            try await $0.entries(in: StorageKey.all("account", "signature"), limit: 10).count
        }
        #expect(count == 1)
    }

    @Test("belong to keys on P-256 alone")
    func keys() async throws {
        for pem in ["", "text", Self.publicKey.replacing("MFkw", with: "MFkx")] {
            await expectCode(.invalidArguments) { try await accounts().addKey("server", publicKey: pem) }
        }
    }

    @Test("reach the public database alone")
    func reach() async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        let server = RecordServer([TestServer.container: service], authenticator: ServerAuthenticator())
        func status(_ target: String) async throws -> Int {
            try await server.handler(HTTPRequest(method: .post, target: target, body: HTTPBody("{}"))).status.code
        }
        let path = "/database/1/com.example.notes/development"
        #expect(try await status("\(path)/public/zones/list") == 200)
        #expect(try await status("\(path)/private/zones/list") == 403)
        #expect(try await status("\(path)/shared/zones/list") == 403)
        #expect(try await status("\(path)/public/users/caller") == 401)
        #expect(try await status("/cabinet/1/com.example.notes/development/fetchZones") == 401)
    }
}

private struct ServerAuthenticator: Authenticator {
    func authenticate(
        _ request: HTTPRequest, body: Data, in container: WireContainer
    ) async throws -> Authentication {
        Authentication(Account(userRecordName: "_server"), isServer: true)
    }
}
