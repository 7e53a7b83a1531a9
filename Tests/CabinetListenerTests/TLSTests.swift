import CabinetListener
import CabinetServer
import Foundation
import ProgramTestSupport
import Testing

@Suite("TLS: certificates, reloads, other protocols")
struct TLSTests {
    /// A folder with a certificate, until the test ends.
    private final class Files: Sendable {
        let folder: URL
        var certificate: URL { folder.appendingPathComponent("certificate.pem") }
        var key: URL { folder.appendingPathComponent("key.pem") }
        var tls: HTTPListener.TLS { .init(certificate: certificate, key: key) }

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try create(name: "first")
        }

        deinit {
            try? FileManager.default.removeItem(at: folder)
        }

        func create(name: String) throws {
            let output = try OpenSSL.run(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=\(name)", "-keyout", key.path, "-out", certificate.path,
                ])
            try #require(FileManager.default.fileExists(atPath: certificate.path), "\(output)")
        }
    }

    /// Sends a request over TLS, and returns the response after the name in the server's certificate.
    private func get(_ path: String, from test: TestListener, flags: [String] = []) async throws -> String {
        guard case .network(let host, let port) = test.address else { return "" }
        return try await onThread {
            try OpenSSL.run(
                ["s_client", "-quiet", "-connect", "\(host):\(port)"] + flags,
                input: "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        }
    }

    @Test("A request over TLS 1.2 and 1.3 is answered, one over older versions is not")
    func versions() async throws {
        let files = try Files()
        let test = try TestListener(tls: files.tls) { request in
            #expect(request.isSecure)
            return try await TestListener.hello(request)
        }
        for flag in ["-tls1_2", "-tls1_3"] {
            let answer = try await get("/a", from: test, flags: [flag])
            #expect(answer.contains("CN = first") && answer.hasSuffix("GET /a 0"), "\(answer)")
        }
        #expect(try await !get("/a", from: test, flags: ["-tls1_1"]).contains("GET /a 0"))
        #expect(test.listener.urls[0].hasPrefix("https://127.0.0.1:"))
    }

    @Test("A plain request to a port with TLS gets nothing, and TLS to a plain port an error")
    func wrongProtocol() async throws {
        let files = try Files()
        let secure = try TestListener(tls: files.tls)
        #expect(try await !secure.exchange("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").contains("200"))
        #expect(try await get("/b", from: secure).hasSuffix("GET /b 0"))
        let plain = try TestListener()
        #expect(try await !get("/a", from: plain).contains("200"))
        try await plain.expectAlive()
    }

    @Test("A reload takes the new certificate, and a request under way ends with the old one")
    func reload() async throws {
        let files = try Files()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (release, end) = AsyncStream.makeStream(of: Void.self)
        let test = try TestListener(tls: files.tls) { request in
            if request.path == "/slow" {
                start.yield()
                for await _ in release { break }
            }
            return try await TestListener.hello(request)
        }
        let slow = Task { try await get("/slow", from: test) }
        for await _ in started { break }
        try files.create(name: "second")
        try test.listener.reload()
        #expect(try await get("/a", from: test).contains("CN = second"))
        try Data("nothing".utf8).write(to: files.key)
        #expect(throws: HTTPError.self) { try test.listener.reload() }
        #expect(try await get("/a", from: test).hasSuffix("GET /a 0"))
        end.yield()
        let answer = try await slow.value
        #expect(answer.contains("CN = first") && answer.hasSuffix("GET /slow 0"))
        #expect(try await eventually { test.listener.counters.openConnections == 0 })
        #expect(test.listener.counters.requests == 3)
        await test.listener.stop()
    }

    @Test("A reload ends streams of the old certificate, whose threads end then", .timeLimit(.minutes(5)))
    func stream() async throws {
        let files = try Files()
        let test = try TestListener(tls: files.tls) { request in
            guard request.path == "/stream" else { return try await TestListener.hello(request) }
            return HTTPResponse(body: HTTPBody(polling: { _ in Data() }))
        }
        let stream = Task { try await get("/stream", from: test) }
        #expect(try await eventually { test.listener.counters.waitingRequests == 1 })
        try test.listener.reload()
        try await Task.sleep(for: .seconds(2))
        // The files are the same, so nothing has ended.
        #expect(test.listener.counters.waitingRequests == 1)
        try files.create(name: "second")
        try test.listener.reload()
        #expect(try await stream.value.contains("200 OK"))
        #expect(try await get("/a", from: test).contains("CN = second"))
        #expect(try await eventually { test.listener.counters.openConnections == 0 })
    }

    @Test("A reload without TLS changes nothing")
    func plainReload() async throws {
        let test = try TestListener()
        let client = try test.connect()
        for _ in 0..<2 {
            try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await onThread { try client.read(until: "GET /a 0") }.contains("200 OK"))
            try test.listener.reload()
            // A retired thread would close the connection.
            try await Task.sleep(for: .seconds(2))
        }
    }

    @Test("A listener with unusable files is not created")
    func unusable() throws {
        let files = try Files()
        let missing = files.folder.appendingPathComponent("missing.pem")
        #expect(throws: HTTPError.self) { try TestListener(tls: .init(certificate: missing, key: files.key)) }
        #expect(throws: HTTPError.self) { try TestListener(tls: .init(certificate: files.key, key: files.key)) }
    }
}
