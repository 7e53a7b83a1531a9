import CPostgreSQL
import Cabinet
import Foundation

/// Waiting for the server, and requests to stop what it does.
extension Connection {
    /// The interval at which a waiting request checks whether its task was cancelled, in milliseconds.
    private static let cancellationInterval = 5

    func waitForServer(toWrite: Bool, _ meter: WorkMeter?) throws {
        let events = Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0)
        var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        let limit = timeout.map { Int($0 * 1000) } ?? .max
        let commitLimit = isCommitting ? commitTimeLimit.map { Int($0 * 1000) } ?? .max : .max
        var waited = 0
        while true {
            var interval = limit - waited
            if !isCancelling {
                interval = min(interval, commitLimit - waited)
                if meter != nil { interval = min(interval, Self.cancellationInterval) }
            }
            let count = poll(&descriptor, 1, Int32(exactly: max(interval, 0)) ?? -1)
            if count > 0 { return }
            if count < 0 {
                if errno != EINTR { throw lost(String(cString: strerror(errno))) }
                continue
            }
            waited += interval
            if !isCancelling {
                if meter?.isCancelled == true {
                    cancelStatements()
                } else if waited >= commitLimit {
                    stopCommit()
                }
            }
            if waited >= limit { throw lost("it has not answered for \(timeout ?? 0) seconds") }
        }
    }

    /// Asks the server to stop the commit, without waiting until the request has arrived, which takes minutes on a broken network.
    private func stopCommit() {
        isCancelling = true
        isStopping = true
        guard let cancel = PQgetCancel(handle) else { return }
        // Safe: only the closure uses it from here on.
        nonisolated(unsafe) let request = cancel
        DispatchQueue.global().async {
            var message = [CChar](repeating: 0, count: 256)
            _ = PQcancel(request, &message, Int32(message.count))
            PQfreeCancel(request)
        }
    }

    /// Asks the server to stop the statement that it runs; the answer then is an error.
    ///
    /// The request goes over a connection of its own, and has reached the server's process when this returns. So it cannot hit a
    /// statement that is sent later.
    private func cancelStatements() {
        isCancelling = true
        guard let cancel = PQgetCancel(handle) else { return }
        defer { PQfreeCancel(cancel) }
        var message = [CChar](repeating: 0, count: 256)
        // If this fails, the statement runs to its end, as without it.
        _ = PQcancel(cancel, &message, Int32(message.count))
    }
}
