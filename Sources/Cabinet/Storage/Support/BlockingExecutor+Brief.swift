import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension BlockingExecutor {
    /// Runs work, parts of which block, and which is mostly done within microseconds.
    ///
    /// The caller looks for the answer for a moment before it is suspended: to be resumed takes several times longer than to read a
    /// record. Who looks for long leaves threads to others, and nobody keeps a thread for more than some calls. The work is a task
    /// of its own, which is cancelled with the caller's, and has its priority and task-local values.
    ///
    /// - Parameters:
    ///   - pace: How long such work takes lately, which says how long to look.
    ///   - work: What to do.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    package func runBriefly<Output: Sendable>(
        at pace: ReadPace, _ work: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        let start = ContinuousClock.now
        defer { pace.note(ContinuousClock.now - start) }
        let answer = BriefAnswer<Output>()
        let task = Task(executorPreference: self) {
            answer.give(await Result(catching: work))
        }
        if Task.isCancelled { task.cancel() }
        let result = answer.lookedFor(pace.lookingTime, since: start)
        // Who never waits keeps others from the thread; and the work may be done by now.
        if BlockingThreads.isTurnOver() { await Task.yield() }
        if let result { return try result.get() }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try answer.taken().get()
    }
}

/// The answer of work that somebody looks for.
private final class BriefAnswer<Output: Sendable>: Sendable {
    private let isThere = Atomic<Bool>(false)
    private let result = Mutex<Result<Output, any Error>?>(nil)

    func give(_ result: Result<Output, any Error>) {
        self.result.withLock { $0 = result }
        isThere.store(true, ordering: .releasing)
    }

    /// The answer, if it comes in time.
    func lookedFor(_ time: Duration, since start: ContinuousClock.Instant) -> Result<Output, any Error>? {
        if let result = lookedFor(until: start + min(time, BlockingThreads.moment), isBrief: true) { return result }
        return time > BlockingThreads.moment ? lookedFor(until: start + time, isBrief: false) : nil
    }

    private func lookedFor(until end: ContinuousClock.Instant, isBrief: Bool) -> Result<Output, any Error>? {
        guard BlockingThreads.beginLooking(isBrief: isBrief) else { return nil }
        defer { BlockingThreads.endLooking() }
        repeat {
            if isThere.load(ordering: .acquiring) { return taken() }
            sched_yield()
        } while ContinuousClock.now < end
        return nil
    }

    func taken() -> Result<Output, any Error> {
        result.withLock { $0 } ?? .failure(CabinetError(.internalError, "The work ended without an answer."))
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
