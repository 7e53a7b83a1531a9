import CPostgreSQL
import Cabinet
import Foundation
import Synchronization

/// Waiting for the server, and requests to stop what it does.
extension Connection {
    /// Runs calls that block on the connection's executor.
    func blocking<Output>(_ body: () throws -> Output) async throws -> Output {
        if executor.isCurrent { return try body() }
        return try await withTaskExecutorPreference(executor) { try body() }
    }

    /// The time for which a request keeps its thread, before it registers for the cancellation of its task.
    ///
    /// Most answers arrive sooner. They cost neither a registration nor two changes of threads, which take as long as a short
    /// statement.
    private static let registrationDelay = Duration.milliseconds(5)

    /// Waits until the server's answers can be read, without occupying a thread for longer than ``registrationDelay``.
    ///
    /// - Parameters:
    ///   - toWrite: Whether statements are still to be sent.
    ///   - meter: The meter of the request. When its task is cancelled, the server is asked to cancel the statements.
    func serverIsReady(toWrite: Bool, _ meter: WorkMeter?) async throws {
        let start = ContinuousClock.now
        if executor.isCurrent, try blockUntilReady(toWrite: toWrite, before: start + Self.registrationDelay) { return }
        let end = timeout.map { start + .seconds($0) }
        if let meter, !isCancelling {
            let request = CancelRequest(to: handle)
            let isAnswered = await meter.withCancellationHandler({ request.send() }) {
                await becomesReady(toWrite: toWrite, before: end)
            }
            if request.finish() { isCancelling = true }
            if isAnswered { return }
        } else if isCommitting, !isCancelling, let commitTimeLimit {
            if await becomesReady(toWrite: toWrite, before: start + .seconds(commitTimeLimit)) { return }
            stopCommit()
            if await becomesReady(toWrite: toWrite, before: end) { return }
        } else if await becomesReady(toWrite: toWrite, before: end) {
            return
        }
        throw lost("it has not answered for \(timeout ?? 0) seconds")
    }

    /// Waits on the thread of all sockets until this one can be read, or written.
    ///
    /// - Returns: Whether it can before a time.
    private func becomesReady(toWrite: Bool, before end: ContinuousClock.Instant?) async -> Bool {
        await SocketMonitor.shared.wait(
            for: PQsocket(handle), toWrite: toWrite, until: end, endsWithTask: false) == .ready
    }

    /// The number of waits that have blocked the thread of a server's requests, for tests.
    static let misplacedWaits = Atomic(0)

    /// Blocks until the server's answers can be read.
    ///
    /// - Parameters:
    ///   - toWrite: Whether statements are still to be sent.
    ///   - meter: The meter of the request. When its task is cancelled, the server is asked to cancel the statements.
    func waitForServer(toWrite: Bool, _ meter: WorkMeter?) throws {
        if ShortCalls.mayBlockExecutor, !executor.isCurrent { Self.misplacedWaits.add(1, ordering: .relaxed) }
        let start = ContinuousClock.now
        let end = timeout.map { start + .seconds($0) }
        if let meter, !isCancelling {
            if try blockUntilReady(toWrite: toWrite, before: start + Self.registrationDelay) { return }
            let request = CancelRequest(to: handle)
            let result = Result {
                try meter.withCancellationHandler({ request.send() }) {
                    try blockUntilReady(toWrite: toWrite, before: end)
                }
            }
            if request.finish() { isCancelling = true }
            if try result.get() { return }
        } else if isCommitting, !isCancelling, let commitTimeLimit {
            if try blockUntilReady(toWrite: toWrite, before: start + .seconds(commitTimeLimit)) { return }
            stopCommit()
            if try blockUntilReady(toWrite: toWrite, before: end) { return }
        } else if try blockUntilReady(toWrite: toWrite, before: end) {
            return
        }
        throw lost("it has not answered for \(timeout ?? 0) seconds")
    }

    /// Blocks until the socket can be read, or written.
    ///
    /// - Returns: Whether it can before a time.
    private func blockUntilReady(toWrite: Bool, before end: ContinuousClock.Instant?) throws -> Bool {
        let events = Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0)
        var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        while true {
            // Rounded up, so that the time has passed afterwards.
            let rest = end.map { Int32(clamping: (max($0 - .now, .zero)).milliseconds + 1) } ?? -1
            let count = poll(&descriptor, 1, rest)
            if count > 0 { return true }
            if count == 0 { return false }
            if errno != EINTR { throw lost(String(cString: strerror(errno))) }
        }
    }

    /// Asks the server to stop the commit, without waiting until the request has arrived, which takes minutes on a broken network.
    private func stopCommit() {
        isCancelling = true
        isStopping = true
        CancelRequest(to: handle).send(isRepeated: false)
    }
}
