import CabinetServer
import Foundation
import Synchronization
import Testing

@Suite("Bodies: bytes, streams and files")
struct HTTPBodyTests {
    private static func chunks(_ texts: [String]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    }

    /// A body that has its next chunk some time after it is asked.
    private static func polled(_ texts: [String]) -> HTTPBody {
        let rest = Mutex((texts: texts[...], isReady: false))
        return HTTPBody { wake in
            rest.withLock { rest in
                guard rest.isReady else {
                    rest.isReady = true
                    Task { wake() }
                    return Data()
                }
                rest.isReady = false
                return rest.texts.popFirst().map { Data($0.utf8) }
            }
        }
    }

    @Test("A body that is polled ends with the task that reads it")
    func cancelledPoll() async throws {
        let (began, start) = AsyncStream<Void>.makeStream()
        let reader = Task {
            try await HTTPBody { _ in
                start.yield()
                return Data()
            }.collect(upTo: 1)
        }
        for await _ in began { break }
        reader.cancel()
        #expect(try await reader.value.isEmpty)
    }

    @Test("Bytes, a sequence and a function are read alike")
    func collect() async throws {
        let rest = Mutex(["c", "ab"])
        let bodies = [
            HTTPBody("abc"), HTTPBody(Self.chunks(["a", "", "bc"])), HTTPBody(Self.chunks(["abc"]), length: 3),
            HTTPBody { rest.withLock { $0.popLast() }.map { Data($0.utf8) } }, Self.polled(["a", "bc"]),
        ]
        for body in bodies { #expect(try await body.collect(upTo: 3) == Data("abc".utf8)) }
        #expect(bodies.map(\.length) == [3, nil, 3, nil, nil])
        #expect(bodies.map { $0.bytes == nil } == [false, true, true, true, true])
        #expect(try await HTTPBody.empty.collect(upTo: 0).isEmpty)
        for try await _ in HTTPBody.empty { Issue.record("An empty body has no chunks.") }
    }

    @Test("A body over the limit is refused, before it is read if its length is known")
    func limit() async throws {
        let isRead = Mutex(false)
        let body = HTTPBody(length: 4) {
            isRead.withLock { $0 = true }
            return nil
        }
        for body in [HTTPBody("abcd"), HTTPBody(Self.chunks(["ab", "cd"])), body] {
            await #expect(throws: HTTPError.self) { try await body.collect(upTo: 3) }
        }
        #expect(!isRead.withLock { $0 })
    }

    @Test("A file is read in chunks from its range")
    func file() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        try bytes.write(to: url)
        var response = HTTPResponse()
        for (range, part) in [
            (nil, 0..<200_000), (1_000..<190_000, 1_000..<190_000), (199_999..<900_000, 199_999..<200_000),
        ]
            as [(Range<Int64>?, Range<Int>)]
        {
            response.content = .file(try HTTPFile(at: url, range: range))
            #expect(response.body.length == Int64(part.count))
            #expect(try await response.body.collect(upTo: 1 << 20) == bytes[part])
        }
        try FileManager.default.removeItem(at: url)
        #expect(try await response.body.collect(upTo: 1) == bytes[199_999...])
        #expect(throws: HTTPError.self) { try HTTPFile(at: url) }
        #expect(throws: HTTPError.self) { try HTTPFile(at: url.deletingLastPathComponent()) }
        // Opening a pipe that has no writer would wait for one.
        try #require(mkfifo(url.path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(throws: HTTPError.self) { try HTTPFile(at: url) }
    }
}
