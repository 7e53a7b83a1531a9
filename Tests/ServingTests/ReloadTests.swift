import Foundation
import ProgramTestSupport
import Testing

@Suite("A server that reads its files again")
struct ReloadTests {
    /// A token of the key in ``keys(_:)``, which expires in 2096.
    private static let token: String = {
        let parts = [
            #"{"alg":"ES256","kid":"a"}"#,
            #"{"iss":"https://id.example.com","aud":"notes","sub":"ann","exp":4000000000}"#,
        ].map { Data($0.utf8).base64EncodedString().replacing("=", with: "") }
        let signature = "DEgOqHxHdlRXz-rIzzD--pjSMDZNsbhZ_LpfdD-Q4Qf8SZou4yvwj4grv6Hm6QB0ftwF8dibDrADtLWLMhKHBw"
        return "\(parts[0]).\(parts[1]).\(signature)"
    }()

    private static func keys(_ id: String) -> String {
        let (x, y) = ("I9OcT721J5926sL4hcKPSun9nsfhgdzA46OYkaN7nyo", "IscZYgNSevr5bMnJdnnGVvpHo61IGmvnFUSCFhH59aQ")
        return #"{"keys":[{"kty":"EC","crv":"P-256","kid":"\#(id)","x":"\#(x)","y":"\#(y)"}]}"#
    }

    @Test("takes the provider's new keys although the certificate cannot be read", .timeLimit(.minutes(5)))
    func keysWithoutCertificate() async throws {
        let folder = try TemporaryFolder()
        let (certificate, key) = (folder.path("certificate.pem"), folder.path("key.pem"))
        _ = try OpenSSL.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=first", "-keyout", key, "-out", certificate,
        ])
        let file = try folder.write(Self.keys("a"), to: "jwks.json")
        let jwt = #"{"keys":"\#(file)","issuer":"https://id.example.com","audience":"notes"}"#
        let configuration = try folder.write(
            #"{"jwt":\#(jwt),"tls":{"certificate":"\#(certificate)","key":"\#(key)"}}"#, to: "serve.json")
        let server = try await ServingProgram(
            store: folder.path("store"), ["--container", "com.example.notes", "--config", configuration], in: folder)
        let port = try #require(server.url.port)
        func status() throws -> Substring? {
            let body = #"{"scope":2}"#
            let answer = try OpenSSL.run(
                ["s_client", "-quiet", "-connect", "127.0.0.1:\(port)"],
                input: """
                    POST /cabinet/1/com.example.notes/development/fetchZones HTTP/1.1\r
                    Host: localhost\r
                    Authorization: Bearer \(Self.token)\r
                    Content-Length: \(body.utf8.count)\r
                    Connection: close\r
                    \r
                    \(body)
                    """)
            return answer.firstMatch(of: #/HTTP/1.1 (\d+)/#)?.1
        }
        #expect(try status() == "200")
        try FileManager.default.removeItem(atPath: certificate)
        _ = try folder.write(Self.keys("b"), to: "jwks.json")
        server.send(SIGHUP)
        for _ in 0..<100 where try status() != "401" { try await Task.sleep(for: .milliseconds(50)) }
        #expect(try status() == "401")
        #expect(try await server.end(SIGTERM) == 0)
    }
}
