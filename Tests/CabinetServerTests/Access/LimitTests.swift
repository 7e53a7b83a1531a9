import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Synchronization
import Testing

@testable import CabinetServer

@Suite("The limits of requests")
struct LimitTests {
    @Test("of a user are answered with 429 and the time to wait, in both dialects")
    func user() async throws {
        var configuration = RecordServer.Configuration()
        configuration.limits.user = .init(perSecond: 0.01, burst: 2)
        let server = try TestServer(configuration: configuration)
        for _ in 0..<2 { _ = try await server.perform(FetchZonesRequest(in: .private), token: "_ann") }
        let target = CabinetRoute.request("fetchZones", in: TestServer.container).target.description
        let body = HTTPBody(Data(try FetchZonesRequest.coding.encode(FetchZonesRequest(in: .private))))
        let response = try await server.send(.post, target, body, token: "_ann")
        #expect(response.status == .tooManyRequests)
        #expect(response.headerFields[.retryAfter].flatMap(Int.init) ?? 0 > 10)
        let (status, json) = try await server.cloudKit(.zonesList, "{}", token: "_ann")
        #expect(status == 429)
        #expect(try json["serverErrorCode"]?.string() == "THROTTLED")
        #expect(try json["retryAfter"]?.int64() ?? 0 > 10)
        _ = try await server.perform(FetchZonesRequest(in: .private), token: "_ben")
    }

    @Test("of an address count a network of IPv6 as one, and guesses as many")
    func address() async throws {
        var configuration = RecordServer.Configuration()
        configuration.limits.address = .init(perSecond: 0.01, burst: 100)
        let server = try TestServer(configuration: configuration)
        let target = "/cabinet/1/com.example.notes/development/fetchZones"
        for number in 0..<2 {
            let response = try await server.send(
                .post, target, HTTPBody("{}"), token: "guess\(number)", from: "2001:db8:1:2::\(number)")
            #expect(response.status == .unauthorized)
        }
        let blocked = try await server.send(.post, target, HTTPBody("{}"), token: "_ann", from: "2001:db8:1:2:3::9")
        #expect(blocked.status == .tooManyRequests)
        let other = try await server.send(.post, target, HTTPBody("{}"), token: "_ann", from: "2001:db8:1:3::9")
        #expect(other.status == .badRequest)
    }

    @Test("of an address count the URLs of assets too")
    func assets() async throws {
        var configuration = RecordServer.Configuration()
        configuration.limits.address = .init(perSecond: 0.01, burst: 2)
        let server = try TestServer(configuration: configuration)
        for status in [404, 404, 429] {
            let response = try await server.send(
                .get, "/assets/1/com.example.notes/development/guess", HTTPBody(""), token: nil, from: "203.0.113.9")
            #expect(response.status.code == status)
        }
    }

    @Test(
        "of an address name a network of IPv6 as such",
        arguments: [
            ("2001:db8:1:2::9", "2001:db8:1:2::/64"), ("::1", "0:0:0:0::/64"), ("203.0.113.7", "203.0.113.7"),
            ("2001:x", "2001:x"), ("::ffff:203.0.113.5", "203.0.113.5"), ("::FFFF:cb00:7105", "203.0.113.5"),
        ])
    func network(address: String, network: String) {
        #expect(ClientAddress.network(of: address) == network)
    }

    @Test(
        "of an address behind a proxy count the one that the proxy has added",
        arguments: ["203.0.113.7", "198.51.100.1, 203.0.113.7", "\u{600}, 203.0.113.7", "a\u{600},203.0.113.7"])
    func forwarded(value: String) throws {
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        let fields = HTTPFields([try HTTPField(name: name, value: value)])
        #expect(ClientAddress.forwarded(HTTPRequest(method: .get, path: "/", headerFields: fields)) == "203.0.113.7")
    }

    @Test("of bodies keep that of a client with wrong credentials from being read", arguments: [false, true])
    func strangers(isSigned: Bool) async throws {
        let accounts = AccountStore(MemoryBackend())
        let service = try LocalDatabaseService(backend: MemoryBackend())
        let server = RecordServer([TestServer.container: service], authenticator: accounts)
        let count = Mutex(0)
        let chunks = AsyncStream<Data> {
            count.withLock { $0 += 1 }
            return Data(count: 1 << 16)
        }
        var fields = HTTPFields()
        if isSigned {
            fields.append(HTTPField(name: .cloudKitKeyID, uncheckedValue: String(repeating: "a", count: 64)))
        } else {
            fields.append(HTTPField(name: .authorization, uncheckedValue: "Bearer other"))
        }
        let route = CloudKitRoute(.recordsModify, in: TestServer.container, scope: .public)
        let response = try await server.handler(
            HTTPRequest(
                method: .post, target: route.target.description, headerFields: fields, body: HTTPBody(chunks),
                remoteAddress: "203.0.113.7"))
        #expect(response.status == .unauthorized)
        #expect(count.withLock(\.self) == 0)
    }

    @Test("of memory hold for the bodies of all clients, and of each address, until the requests end")
    func memory() async throws {
        var limits = RequestLimits()
        (limits.bodySize, limits.bodyMemory) = (1_000, 4_000)
        let budget = BodyBudget(limits)
        func share(_ address: String?, _ bytes: Int) throws -> BodyBudget.Share {
            let share = BodyBudget.Share(of: budget, address: address)
            try share.take(bytes)
            return share
        }
        var shares = try ["a", "b", "c"].map { try share($0, 1_000) }
        await expectCode(.serviceUnavailable) { try share("a", 1) }
        // No time would help these.
        for address in ["d", nil] { await expectCode(.limitExceeded) { try share(address, 1_001) } }
        shares.append(try share(nil, 1_000))
        await expectCode(.serviceUnavailable) { try share("d", 1) }
        shares.removeAll()
        _ = try share("a", 1_000)
    }

    @Test("of memory are answered with 503 and the time to wait, in both dialects")
    func fullMemory() async throws {
        var configuration = RecordServer.Configuration()
        (configuration.limits.bodySize, configuration.limits.bodyMemory) = (1_000, 1_000)
        let server = try TestServer(configuration: configuration)
        let cabinet = CabinetRoute.request("fetchZones", in: TestServer.container).target.description
        let cloudKit = CloudKitRoute(.zonesList, in: TestServer.container, scope: .private).target.description
        let (isRead, read) = AsyncStream.makeStream(of: Void.self)
        let (rest, end) = AsyncStream.makeStream(of: Data.self)
        let parts = Mutex([Data(count: 900)])
        let slowBody = HTTPBody {
            if let part = parts.withLock({ $0.popLast() }) { return part }
            read.finish()
            for await part in rest { return part }
            return nil
        }
        let slow = Task { try await server.send(.post, cabinet, slowBody, token: "_ann").status }
        for await _ in isRead {}
        let body = HTTPBody("{}" + String(repeating: " ", count: 200))
        for target in [cloudKit, cabinet] {
            let response = try await server.send(.post, target, body, token: "_ann")
            #expect(response.status == .serviceUnavailable && response.headerFields[.retryAfter] == "1")
        }
        end.finish()
        _ = try await slow.value
        #expect(try await server.send(.post, cloudKit, body, token: "_ann").status == .ok)
    }

    @Test("of memory count the many values of a text, and refuse one that never fits")
    func values() async throws {
        var configuration = RecordServer.Configuration()
        (configuration.limits.bodySize, configuration.limits.bodyMemory) = (100_000, 100_000)
        let server = try TestServer(configuration: configuration)
        let cabinet = CabinetRoute.request("fetchZones", in: TestServer.container).target.description
        let cloudKit = CloudKitRoute(.zonesLookup, in: TestServer.container, scope: .private).target.description
        let list = "[1" + String(repeating: ",1", count: 20_000) + "]"
        let dense = #"{"scope":2,"zones":\#(list)}"#
        let plain = #"{"scope":2,"zones":"\#(list)"}"#
        for (target, status) in [(cabinet, 413), (cloudKit, 400)] {
            let response = try await server.send(.post, target, HTTPBody(dense), token: "_ann")
            #expect(response.status.code == status)
            let text = String(decoding: try await response.body.collect(upTo: 1 << 16), as: UTF8.self)
            #expect(text.contains("too many values"), "\(text)")
            // A text of the same length is read, and found to be another request.
            let other = try await server.send(.post, target, HTTPBody(plain), token: "_ann")
            let reason = String(decoding: try await other.body.collect(upTo: 1 << 16), as: UTF8.self)
            #expect(other.status == .badRequest && !reason.contains("too many values"), "\(reason)")
        }
    }

    @Test("of memory are free while streams are open, which have no bodies")
    func streams() async throws {
        var configuration = RecordServer.Configuration()
        (configuration.limits.bodySize, configuration.limits.bodyMemory) = (1_000, 1_000)
        let server = try TestServer(configuration: configuration)
        let signals = CabinetRoute.signals([.private], in: TestServer.container).target.description
        let cloudKit = CloudKitRoute(.zonesList, in: TestServer.container, scope: .private).target.description
        var streams: [HTTPResponse] = []
        for body in ["", String(repeating: " ", count: 900)] {
            streams.append(try await server.send(.get, signals, HTTPBody(body), token: "_ann"))
        }
        #expect(streams.map(\.status) == [.ok, .contentTooLarge])
        let body = HTTPBody("{}" + String(repeating: " ", count: 900))
        #expect(try await server.send(.post, cloudKit, body, token: "_ann").status == .ok)
        withExtendedLifetime(streams) {}
    }

    @Test("of a proxy's clients are counted by the address that it has added")
    func proxy() async throws {
        var configuration = RecordServer.Configuration()
        configuration.limits.address = .init(perSecond: 0.01, burst: 1)
        configuration.isBehindProxy = true
        let server = try TestServer(configuration: configuration)
        let target = "/cabinet/1/com.example.notes/development/fetchZones"
        for (list, status) in [("198.51.100.1", 400), ("203.0.113.9, 198.51.100.1", 429), ("198.51.100.2", 400)] {
            let response = try await server.send(
                .post, target, HTTPBody("{}"), token: "_ann", fields: [("X-Forwarded-For", list)])
            #expect(response.status.code == status, "\(list)")
        }
    }

    @Test("of time cancel a request, which is answered with 503")
    func time() async throws {
        var configuration = RecordServer.Configuration()
        configuration.limits.time = .milliseconds(50)
        let server = try TestServer(configuration: configuration) { SlowService(base: $0) }
        let target = CabinetRoute.request("fetchZones", in: TestServer.container).target.description
        let body = HTTPBody(Data(try FetchZonesRequest.coding.encode(FetchZonesRequest(in: .private))))
        let start = ContinuousClock.now
        let response = try await server.send(.post, target, body, token: "_ann")
        #expect(response.status == .serviceUnavailable)
        #expect(response.headerFields[.retryAfter] == "1")
        #expect(start.duration(to: .now) < .seconds(20))
    }

    @Test("of time leave a request on its thread, which short reads may block")
    func shortReads() async throws {
        let server = try TestServer { ShortCallService(base: $0) }
        let target = CabinetRoute.request("fetchZones", in: TestServer.container).target.description
        let body = HTTPBody(Data(try FetchZonesRequest.coding.encode(FetchZonesRequest(in: .private))))
        let response = try await server.send(.post, target, body, token: "_ann")
        #expect(response.status == .ok)
    }

    @Test("of time wait for the end of a cancelled request, and answer with its own error or response")
    func lateEnds() async throws {
        var configuration = RecordServer.Configuration()
        configuration.limits.time = .milliseconds(20)
        let server = try TestServer(configuration: configuration).server
        let own = CabinetError(.constraintViolation, "The record p1 has this name already.")
        for (late, expected) in [
            (own, own.code), (CabinetError(.operationCancelled, "Cancelled."), .serviceUnavailable),
            (CancellationError(), .serviceUnavailable),
        ] as [(any Error, CabinetError.Code)] {
            let error = await #expect(throws: CabinetError.self) {
                try await server.withDeadline { () async throws -> Int in
                    try? await Task.sleep(for: .seconds(60))
                    throw late
                }
            }
            #expect(error?.code == expected)
            // Only a request that was cancelled may be sent again.
            #expect((error?.retryAfterSeconds != nil) == (expected == .serviceUnavailable))
        }
        let response = try await server.withDeadline {
            try? await Task.sleep(for: .seconds(60))
            return 7
        }
        #expect(response == 7)
    }

    @Test("remember a bounded number of clients")
    func bounded() {
        let limiter = RateLimiter(.init(perSecond: 1, burst: 2))
        let now = ContinuousClock.now
        for client in 0..<200_000 { #expect(limiter.take(of: "\(client)", at: now) == nil) }
        #expect(limiter.take(of: "199999", at: now) == nil)
        #expect(limiter.take(of: "199999", at: now) != nil)
        #expect(limiter.take(of: "199999", at: now + .seconds(2)) == nil)
    }
}

/// A service that answers after a minute.
private struct SlowService: WrappingService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try await Task.sleep(for: .seconds(60))
        return try await base.perform(request, for: caller)
    }
}

/// A service that answers only where short reads may block the executor of a task.
private struct ShortCallService: WrappingService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        guard ShortCalls.mayBlockExecutor else { throw CabinetError(.internalError, "The thread may not be blocked.") }
        return try await base.perform(request, for: caller)
    }
}
