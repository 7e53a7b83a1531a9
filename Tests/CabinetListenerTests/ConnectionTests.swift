import CabinetListener
import CabinetServer
import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Connections: kept alive, pipelined, half closed")
struct ConnectionTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("A connection carries many requests, with bodies and without")
    func keepAlive() async throws {
        let test = try TestListener()
        try await onThread {
            let client = try test.connect()
            for number in 0..<50 {
                try client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.read(until: "GET /\(number) 0")
                try client.send("POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                _ = try client.read(until: "POST /\(number) 3")
            }
        }
        #expect(test.listener.counters.connections == 1)
    }

    @Test("A thousand pipelined requests are answered in their order")
    func pipelining() async throws {
        let test = try TestListener()
        let answer = try await onThread {
            let client = try test.connect()
            Thread.detachNewThread {
                for number in 0..<1_000 { try? client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n") }
            }
            return try client.read(until: "GET /999 0")
        }
        let numbers = answer.matches(of: #/GET /([0-9]+) 0/#).map { Int($0.1) }
        #expect(numbers == Array(0..<1_000))
    }

    @Test("HEAD has the head of GET and no body, and the connection goes on")
    func head() async throws {
        let test = try TestListener { request in
            request.path == "/stream"
                ? HTTPResponse(body: HTTPBody(length: nil) { Data("endless".utf8) })
                : try await TestListener.hello(request)
        }
        let answer = try await onThread {
            let client = try test.connect()
            for path in ["/a", "/stream"] { try client.send("HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n") }
            try client.send(Self.get)
            return try client.read(until: "GET /a 0")
        }
        #expect(answer.contains("Content-Length: 9"))
        #expect(answer.components(separatedBy: "HTTP/1.1 200").count == 4)
        #expect(!answer.contains("endless") && !answer.contains("HEAD /a"))
    }

    @Test("A client that expects 100 gets it before its body, unless the body is refused")
    func expectContinue() async throws {
        let test = try TestListener { request in
            if request.path == "/no" { throw HTTPError(.forbidden, "No.") }
            if request.path == "/later" { try await Task.sleep(for: .milliseconds(20)) }
            return try await TestListener.hello(request)
        }
        for path in ["/yes", "/later"] {
            let answer = try await onThread {
                let client = try test.connect()
                try client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
                let first = try client.read(until: "\r\n\r\n")
                try client.send("abc")
                return try first + client.read(until: "POST \(path) 3")
            }
            #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
        }
        let refused = try await test.exchange(
            "POST /no HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        #expect(refused.hasPrefix("HTTP/1.1 403 "))
    }

    @Test("A client that closes its side after the request gets its response")
    func halfClosed() async throws {
        let test = try TestListener { request in
            try await Task.sleep(for: .milliseconds(50))
            return try await TestListener.hello(request)
        }
        let answer = try await onThread {
            let client = try test.connect()
            try client.send("POST /half HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
            client.endSending()
            return try client.readAll()
        }
        #expect(answer.hasSuffix("POST /half 3"))
    }

    @Test("A client that closes its side within the request ends it")
    func incomplete() async throws {
        let error = Mutex<(any Error)?>(nil)
        let test = try TestListener { request in
            do {
                return try await TestListener.hello(request)
            } catch let thrown {
                error.withLock { $0 = thrown }
                throw thrown
            }
        }
        try await onThread {
            let client = try test.connect()
            try client.send("POST /half HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na")
            client.endSending()
            _ = try client.readAll()
        }
        #expect(try await eventually { error.withLock { $0 } is CancellationError })
        #expect(try await eventually { test.listener.counters.abandonedRequests == 1 })
    }

    @Test("A response that comes before the body does not break the connection")
    func unreadBody() async throws {
        let test = try TestListener { _ in HTTPResponse(body: HTTPBody("done")) }
        try await onThread {
            let client = try test.connect()
            for _ in 0..<3 {
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
                try client.send("hello")
                _ = try client.read(until: "done")
            }
        }
        #expect(test.listener.counters.connections == 1)
    }

    @Test("URLSession gets what the handler answers")
    func session() async throws {
        let test = try TestListener { request in
            #expect(request.remoteAddress == "127.0.0.1")
            #expect(!request.isSecure)
            #expect(request.query == "b=%20c")
            #expect(request.headerFields[try #require(HTTPField.Name("x-a"))] == "1")
            return try await TestListener.hello(request)
        }
        var request = URLRequest(url: try #require(URL(string: test.listener.urls[0] + "/a%2Fd?b=%20c")))
        request.httpMethod = "PUT"
        request.httpBody = Data(repeating: 1, count: 100_000)
        request.setValue("1", forHTTPHeaderField: "X-A")
        let (data, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self) == "PUT /a%2Fd 100000")
    }
}
