import CabinetListener
import CabinetServer
import Foundation
import Testing

@Suite("Addresses: texts, ports, Unix sockets, limits")
struct AddressTests {
    @Test(
        "An address is read from a text and printed again",
        arguments: [
            ("127.0.0.1:8080", HTTPAddress.network(host: "127.0.0.1", port: 8_080)),
            ("[::1]:0", .network(host: "::1", port: 0)), ("localhost:80", .network(host: "localhost", port: 80)),
            ("unix:/run/a:b.sock", .unixSocket(path: "/run/a:b.sock")),
        ])
    func reads(text: String, address: HTTPAddress) throws {
        #expect(try HTTPAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(
        "Another text is refused",
        arguments: ["", "a", "a:", ":80", "a:65536", "::1:80", "a:-1", "unix:", "http://a:80"])
    func refuses(text: String) {
        #expect(throws: HTTPError.self) { try HTTPAddress(text) }
    }

    @Test("Both families and several addresses are listened on")
    func families() async throws {
        let listener = try HTTPListener(
            .init(addresses: [.network(host: "127.0.0.1", port: 0), .network(host: "::1", port: 0)]),
            handler: { HTTPResponse(body: HTTPBody($0.remoteAddress ?? "")) })
        let answers = try await onThread {
            try listener.addresses.map { address in
                let client = try RawClient(to: address)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return try client.readAll()
            }
        }
        #expect(answers[0].hasSuffix("\r\n127.0.0.1") && answers[1].hasSuffix("\r\n::1"))
        #expect(listener.urls.allSatisfy { URL(string: $0) != nil })
        await listener.stop()
    }

    @Test("A Unix socket is created, replaced if its server died, refused if not, and removed")
    func unixSocket() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock")
            .path
        let address = HTTPAddress.unixSocket(path: path)
        // A socket whose listener has ended.
        let dead = try TestListener(at: address)
        let copy = path + "2"
        try FileManager.default.moveItem(atPath: path, toPath: copy)
        await dead.listener.stop()
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        let test = try TestListener(at: address) { HTTPResponse(body: HTTPBody($0.remoteAddress ?? "none")) }
        #expect(throws: HTTPError.self) { try TestListener(at: address) }
        let answer = try await test.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasSuffix("\r\nnone"))
        await test.listener.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A file that is not a socket is not removed for one")
    func otherFile() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("records".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(throws: HTTPError.self) { try TestListener(at: .unixSocket(path: url.path)) }
        #expect(try Data(contentsOf: url) == Data("records".utf8))
    }

    @Test("An address in use, an unknown host and a long path are clear errors")
    func unusable() throws {
        let test = try TestListener()
        for address in [
            test.address, .network(host: "nowhere.invalid", port: 0), .network(host: "203.0.113.1", port: 0),
            .network(host: "127.0.0.1", port: 65_536), .network(host: "127.0.0.1", port: -1),
            .unixSocket(path: "/tmp/" + String(repeating: "a", count: 200)), .unixSocket(path: ""),
        ] {
            #expect(throws: HTTPError.self) { try TestListener(at: address) }
        }
    }

    @Test("More connections than allowed are closed at once, and later ones are served", arguments: [true, false])
    func tooMany(isPerAddress: Bool) async throws {
        var limits = HTTPLimits()
        if isPerAddress { limits.connectionsPerAddress = 10 } else { limits.connections = 10 }
        let test = try TestListener(limits: limits)
        let count = try await onThread {
            let clients = try (0..<30).map { _ in try test.connect() }
            return clients.filter { client in
                guard (try? client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) != nil else { return false }
                return (try? client.read(until: "GET / 0")) != nil
            }.count
        }
        #expect(count == 10)
        #expect(test.listener.counters.refusedConnections == 20)
        #expect(try await eventually { test.listener.counters.openConnections == 0 })
        try await test.expectAlive()
    }
}
