import Cabinet
import CabinetListener
import CabinetRemote
import CabinetServer
import Foundation
import Synchronization
import Testing

@Suite("Polls for notifications", .timeLimit(.minutes(15)))
struct NotificationPollTests {
    /// Follows the signals of a server until it got some polls, and a little longer.
    ///
    /// - Parameter answer: Returns the answer to a poll by its number.
    /// - Returns: The numbers of tokens and of polls, and the time.
    private func requests(
        untilPoll count: Int = 1, _ answer: @escaping @Sendable (Int) throws -> HTTPResponse
    ) async throws -> (tokens: Int, polls: Int, seconds: Double) {
        let counts = Mutex((tokens: 0, polls: 0))
        let addresses = [HTTPAddress.network(host: "127.0.0.1", port: 0)]
        let listener = try HTTPListener(.init(addresses: addresses, threads: 1)) { request in
            guard request.path.hasSuffix("tokens/create") else {
                return try answer(
                    counts.withLock { counts in
                        counts.polls += 1
                        return counts.polls
                    })
            }
            counts.withLock { $0.tokens += 1 }
            let url = "http://\(request.headerFields[.host] ?? "")/courier"
            return try HTTPResponse(
                contentType: "application/json",
                body: HTTPBody(#"{"apnsEnvironment":"development","apnsToken":"t","webcourierURL":"\#(url)"}"#))
        }
        let service = try CloudKitDatabaseService(
            server: .cloudKit(try #require(URL(string: listener.urls[0]))), container: CloudKitWorld.container,
            credentials: .webToken("token", apiToken: "api"))
        let start = ContinuousClock.now
        let signals = try service.signals(of: [.private], for: Caller(account: nil, deviceID: "d"))
        let reader = Task { for await _ in signals {} }
        while counts.withLock({ $0.polls }) < count { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .milliseconds(1_500))
        let (tokens, polls) = counts.withLock { $0 }
        let seconds = start.duration(to: .now) / .seconds(1)
        await service.close()
        await reader.value
        await listener.stop(within: .seconds(1))
        return (tokens, polls, seconds)
    }

    @Test("wait after an answer without a notification", arguments: [200, 302, 404, 429, 500, 503])
    func refusals(status: Int) async throws {
        let found = try await requests { _ in
            try HTTPResponse(
                HTTPResponse.Status(code: status) ?? .ok, contentType: "text/html", body: HTTPBody("<p>No"))
        }
        #expect(found.tokens == 1 && found.polls == 1)
    }

    @Test("wait as long as the server asks, and keep the token")
    func retryAfter() async throws {
        let found = try await requests(untilPoll: 2) { number in
            var response = HTTPResponse(.tooManyRequests)
            try response.headerFields.set(.retryAfter, to: number == 1 ? "1" : "600")
            return response
        }
        #expect(found.tokens == 1 && found.polls == 2 && found.seconds >= 2.5)
    }

    @Test("are one a second at most, also if each has an answer at once", arguments: ["", #"{"nid":"n"}"#])
    func pauses(body: String) async throws {
        let found = try await requests(untilPoll: 2) { _ in HTTPResponse(body: HTTPBody(body)) }
        #expect(found.tokens == 1 && Double(found.polls) <= found.seconds + 1)
    }
}
