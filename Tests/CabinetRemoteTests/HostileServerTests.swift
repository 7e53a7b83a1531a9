import Cabinet
import CabinetListener
import CabinetRemote
import CabinetServer
import CabinetWire
import Foundation
import Synchronization
import Testing

/// Servers that answer as none of Cabinet does.
@Suite("A client of a hostile server", .serialized, .timeLimit(.minutes(15)))
struct HostileServerTests {
    /// Returns the error of a fetch from a server, and the number of requests that the server got.
    private func error(
        of body: @escaping @Sendable (Container) async throws -> Void = {
            _ = try await $0.privateDatabase.record(for: RecordID(recordName: "a"))
        }, idleTimeLimit: Duration = .seconds(5), _ answer: @escaping HTTPHandler
    ) async throws -> (CabinetError, requests: Int) {
        let count = Mutex(0)
        let listener = try HTTPListener(.init(addresses: [.network(host: "127.0.0.1", port: 0)], threads: 1)) {
            request in
            count.withLock { $0 += 1 }
            return try await answer(request)
        }
        var configuration = RemoteConfiguration()
        (configuration.maximumResponseSize, configuration.idleTimeLimit) = (1 << 20, idleTimeLimit)
        configuration.retryTimeLimit = .seconds(1)
        let container = try Container(
            identifier: "c", server: try #require(URL(string: listener.urls[0])),
            credentials: .bearer("token", userRecordName: "_ann"), configuration: configuration)
        let error = await #expect(throws: CabinetError.self) { try await body(container) }
        await container.close()
        await listener.stop(within: .seconds(2))
        return (try #require(error), count.withLock { $0 })
    }

    @Test(
        "reads no more than the limit of a body, with a length and without an end",
        arguments: [1 << 30, nil] as [Int64?])
    func size(_ length: Int64?) async throws {
        let (error, requests) = try await error { _ in
            try HTTPResponse(
                contentType: "application/json",
                body: HTTPBody(length: length) { Data(repeating: UInt8(ascii: " "), count: 65_536) })
        }
        #expect(error.code == .limitExceeded && error.message.contains("1048576 bytes"))
        #expect(requests == 1)
    }

    @Test("reads no more of an error, and waits no longer for a slow body than for silence ten times")
    func errors() async throws {
        let (large, _) = try await error { _ in
            try HTTPResponse(
                .internalServerError, contentType: "application/json",
                body: HTTPBody { Data(repeating: 0x20, count: 65_536) })
        }
        #expect(large.code == .limitExceeded)
        let start = ContinuousClock.now
        let (slow, _) = try await error(idleTimeLimit: .milliseconds(300)) { _ in
            try HTTPResponse(
                contentType: "application/json",
                body: HTTPBody {
                    try await Task.sleep(for: .milliseconds(100))
                    return Data(" ".utf8)
                })
        }
        #expect(slow.code == .networkFailure)
        #expect(start.duration(to: .now) < .seconds(20))
    }

    @Test("names the content type of an answer that is not in Cabinet's dialect")
    func contentType() async throws {
        let (html, requests) = try await error { _ in
            try HTTPResponse(contentType: "text/html; charset=utf-8", body: HTTPBody("<p>Accept our terms."))
        }
        #expect(html.code == .internalError && html.message.contains("'text/html; charset=utf-8'"))
        #expect(requests == 1)
        let (other, _) = try await error { _ in
            try HTTPResponse(contentType: "application/json", body: HTTPBody("[1, 2]"))
        }
        #expect(other.code == .internalError)
    }

    @Test("follows no redirection, not even to the same server")
    func redirections() async throws {
        let (error, requests) = try await error { request in
            var response = HTTPResponse(.found)
            try response.headerFields.set(.location, to: request.path + "/again")
            return response
        }
        #expect(error.code == .internalError && error.message.contains("302"))
        #expect(requests == 1)
    }

    @Test("says of a save whose answer was unreadable that it may have been carried out")
    func saves() async throws {
        let save: @Sendable (Container) async throws -> Void = {
            try await $0.privateDatabase.save(Record(recordType: "Notes"))
        }
        let (large, _) = try await error(of: save) { _ in
            try HTTPResponse(
                contentType: "application/json", body: HTTPBody { Data(repeating: 0x20, count: 65_536) })
        }
        #expect(large.code == .serverResponseLost)
        // The first attempt may have been carried out, and the later ones were refused for now.
        let count = Mutex(0)
        let (refused, requests) = try await error(of: save) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return HTTPResponse(number == 1 ? HTTPResponse.Status(code: 502) ?? .ok : .tooManyRequests)
        }
        #expect(refused.code == .serverResponseLost && requests > 1)
        // The page of a network, and an answer of another form, say nothing of the server's records.
        for (status, type, body) in [
            (200, "text/html", "<p>"), (403, "text/html", "<p>"), (200, "application/json", "[]"),
        ] {
            let (page, _) = try await error(of: save) { _ in
                try HTTPResponse(HTTPResponse.Status(code: status) ?? .ok, contentType: type, body: HTTPBody(body))
            }
            #expect(page.code == .serverResponseLost, "\(status) \(type)")
        }
        // A request that arrived too slowly has not begun.
        let (late, attempts) = try await error(of: save) { _ in
            HTTPResponse(HTTPResponse.Status(code: 408) ?? .ok)
        }
        #expect(late.code == .networkFailure && attempts > 1)
    }
}
