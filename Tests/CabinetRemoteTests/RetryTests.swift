import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetRemote

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Repetitions")
struct RetryTests {
    @Test(
        "wait at least as long as the server asks, if it asks for a time",
        arguments: [nil, 0, -1, .nan, -.infinity, 3] as [Double?])
    func delay(_ seconds: Double?) throws {
        var policy = RetryPolicy(limit: .seconds(60))
        let found = policy.nextDelay(atLeast: seconds)
        let delay = try #require(found)
        #expect(delay >= .seconds(seconds == 3 ? 3 : 0) && delay < .seconds(4))
    }

    @Test("end if the server asks for more time than there is", arguments: [60, 1e300, .infinity] as [Double])
    func end(_ seconds: Double) {
        var policy = RetryPolicy(limit: .seconds(60))
        let delay = policy.nextDelay(atLeast: seconds)
        #expect(delay == nil)
    }

    @Test(
        "read the time that the server asks to wait as a number or a date",
        arguments: [
            ("3", 3), ("0.5", 0.5), ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", .infinity),
            ("soon", nil), ("nan", nil), ("-inf", nil), ("", nil),
        ] as [(String, Double?)])
    func retryAfter(text: String, seconds: Double?) throws {
        var response = RemoteResponse()
        try response.begin(
            ResponseHead(status: 429, fields: [("Retry-After", text)]), RemoteTransport.Answer(size: 0))
        // Some time passes until a date.
        if seconds == .infinity {
            #expect(try #require(response.retryAfter) > 1e9)
        } else {
            #expect(response.retryAfter == seconds)
        }
    }

    @Test("of a change end when its server may have forgotten the first attempt, however long the pause was")
    func sleep() async throws {
        let server = try RawServer { _ in RawServer.Answer(bytes: "") }
        let transport = RemoteTransport(RemoteConfiguration(), repetitionTime: .milliseconds(800))
        let count = Mutex(0)
        await #expect(throws: CabinetError(.serverResponseLost)) {
            try await transport.send(effect: .idempotent) {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                // A computer that sleeps between two attempts.
                if number == 2 { try await Task.sleep(for: .seconds(1)) }
                var request = URLRequest(url: server.url)
                (request.httpMethod, request.httpBody) = ("POST", Data("a".utf8))
                return request
            } failure: { _ in
                nil
            }
        }
        #expect(count.withLock(\.self) == 2 && server.received.count == 1)
        transport.close()
    }

    @Test(
        "end when the task is cancelled, with an error that says whether the server may have carried out a change",
        arguments: [RequestEffect.none, .idempotent, .once])
    func cancellation(effect: RequestEffect) async throws {
        let server = try RawServer { _ in RawServer.Answer(bytes: "", delay: .seconds(5)) }
        let transport = RemoteTransport(RemoteConfiguration())
        func error(of task: Task<RemoteResponse, any Error>) async -> CabinetError? {
            await #expect(throws: CabinetError.self) { try await task.value }
        }
        @Sendable func send() async throws -> RemoteResponse {
            try await transport.send(effect: effect) {
                var request = URLRequest(url: server.url)
                (request.httpMethod, request.httpBody) = ("POST", Data("a".utf8))
                return request
            } failure: { _ in
                nil
            }
        }
        let unsent = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await send()
        }
        unsent.cancel()
        let early = await error(of: unsent)
        #expect(early?.code == .operationCancelled && early?.underlyingError == nil)
        let sent = Task { try await send() }
        while server.received.isEmpty { await Task.yield() }
        sent.cancel()
        let late = await error(of: sent)
        let cause = (late?.underlyingError as? CabinetError)?.code
        #expect(late?.code == .operationCancelled && cause == (effect == .none ? nil : .serverResponseLost))
        #expect(late?.message.contains("may have been carried out") == (effect != .none))
        #expect(server.received.count == 1)
        transport.close()
    }

    @Test("report the server and the reason that it cannot be reached, and not its credentials")
    func unreachable() async throws {
        var configuration = RemoteConfiguration()
        configuration.retryTimeLimit = .zero
        let transport = RemoteTransport(configuration)
        // Nothing listens at the port.
        let url = try #require(URL(string: "http://ann:secret@127.0.0.1:1/path"))
        await #expect {
            try await transport.send(effect: .none, request: { URLRequest(url: url) }, failure: { _ in nil })
        } throws: {
            let message = ($0 as? CabinetError)?.message ?? ""
            let start = "The server 127.0.0.1:1 cannot be reached: "
            return message.hasPrefix(start) && message.count > start.count + 5 && !message.contains("secret")
        }
        transport.close()
    }
}
