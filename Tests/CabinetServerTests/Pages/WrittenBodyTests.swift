import CabinetServer
import Foundation
import Synchronization
import Testing

@Suite("Bodies that a task writes")
struct WrittenBodyTests {
    private final class Log: Sendable {
        let count = Mutex(0)
        let error = Mutex<(any Error)?>(nil)
    }

    @Test("arrive in order, and end with the writer or its error")
    func order() async throws {
        let body = HTTPBody(writing: { output in
            for number in 0..<100 { try await output(Data("\(number) ".utf8)) }
        })
        let text = String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self)
        #expect(text == (0..<100).map { "\($0) " }.joined())
        let broken = HTTPBody(writing: { output in
            try await output(Data("a".utf8))
            throw CocoaError(.fileReadCorruptFile)
        })
        await #expect(throws: CocoaError.self) { try await broken.collect(upTo: 10) }
    }

    @Test("are written as fast as they are read")
    func pressure() async throws {
        let log = Log()
        let body = HTTPBody(writing: { output in
            for _ in 0..<1_000 {
                try await output(Data(count: 1_000))
                log.count.withLock { $0 += 1 }
            }
        })
        var iterator = body.makeAsyncIterator()
        for read in 1...5 {
            _ = try await iterator.next()
            try await Task.sleep(for: .milliseconds(20))
            #expect(log.count.withLock(\.self) <= read + 1)
        }
    }

    @Test("are no longer written after their reader was cancelled or deallocated", arguments: [false, true])
    func abandonment(_ isCancelled: Bool) async throws {
        let log = Log()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        @Sendable func body() -> HTTPBody {
            HTTPBody(writing: { output in
                defer { end.finish() }
                do {
                    while true {
                        try await output(Data(count: 10))
                        if isCancelled { try await Task.sleep(for: .seconds(3_600)) }
                    }
                } catch {
                    log.error.withLock { $0 = error }
                    throw error
                }
            })
        }
        let reader = Task {
            var iterator = body().makeAsyncIterator()
            _ = try await iterator.next()
            if isCancelled { _ = try await iterator.next() }
        }
        if isCancelled {
            try await Task.sleep(for: .milliseconds(50))
            reader.cancel()
        }
        _ = await reader.result
        for await _ in ended {}
        #expect(log.error.withLock { $0 is CancellationError })
    }
}
