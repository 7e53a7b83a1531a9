import Cabinet
import CabinetServer
import Foundation
import Synchronization

/// A stream of events for a page that shows a database: one for each change.
enum Events {
    private static let open = Mutex(0)
    /// The number of streams of all pages at a time.
    private static let maximumCount = 64
    /// The time after which a stream ends; browsers begin another one.
    private static let life = Duration.seconds(600)
    /// The time after which a line without meaning shows whether the browser is still there.
    private static let silence = Duration.seconds(20)

    static func response(_ visit: Visit) async throws -> HTTPResponse {
        let isFull = open.withLock { count in
            if count >= maximumCount { return true }
            count += 1
            return false
        }
        if isFull { throw HTTPError(.serviceUnavailable, "Too many pages are open.") }
        let signals = try visit.container.signals(of: visit.place.scope)
        let (lines, line) = AsyncStream.makeStream(of: Data.self, bufferingPolicy: .bufferingNewest(4))
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in signals {
                        line.yield(Data("data: change\n\n".utf8))
                        // Another program may change the store all the time.
                        try? await Task.sleep(for: .milliseconds(250))
                    }
                }
                group.addTask {
                    let end = ContinuousClock.now + life
                    while .now < end, !Task.isCancelled {
                        try? await Task.sleep(for: silence)
                        line.yield(Data(":\n\n".utf8))
                    }
                }
                await group.next()
                group.cancelAll()
            }
            line.finish()
        }
        line.onTermination = { _ in
            task.cancel()
            open.withLock { $0 -= 1 }
        }
        return try HTTPResponse(contentType: "text/event-stream", body: HTTPBody(lines))
    }
}
