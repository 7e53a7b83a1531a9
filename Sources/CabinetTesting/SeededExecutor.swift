import Cabinet
import Foundation
import Synchronization

/// An executor that runs the jobs of a program's tasks one at a time, in an order that a seed determines.
///
/// ```swift
/// let backend = FaultInjectingBackend()
/// try await SeededExecutor(seed: 7).run {
///     try await withThrowingTaskGroup { group in
///         for device in devices { group.addTask { try await device.sync() } }
///         try await group.waitForAll()
///     }
/// }
/// ```
///
/// Whenever several tasks are ready, the seed picks the next one. Each call of a ``FaultInjectingBackend`` is a point at which
/// others may continue first, so that saves and reads of different tasks mix. A test that fails with a seed fails again with it;
/// <doc:TestingWhatGoesWrong> has an example.
///
/// Jobs run here if they belong to the program's task, to its child tasks, or to tasks that are created with this executor
/// as their preference. Live queries and notifications of Cabinet do too. The following runs elsewhere, and ends at a time that the
/// seed does not determine: actors, the main actor included; unstructured tasks without the preference, as those of a
/// ``/Cabinet/SyncEngine`` are; `Task.sleep`, `Task.yield`, and the threads of other backends than
/// ``/Cabinet/MemoryBackend``; the bytes of assets. ``outsideJobCount`` counts what came back from there.
public final class SeededExecutor: TaskExecutor {
    private enum Job {
        case job(UnownedJob)
        case pause(UnsafeContinuation<Void, Never>)
    }

    private struct State {
        var jobs: [Job] = []
        var generator: SeededGenerator
        var outsideJobCount = 0
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "SeededExecutor")
    private let key = DispatchSpecificKey<Bool>()

    /// Creates an executor.
    ///
    /// - Parameter seed: The seed, which determines the order of jobs.
    public init(seed: UInt64) {
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
        queue.setSpecific(key: key, value: true)
    }

    /// The executor that decides the order of the current task's jobs, if any.
    static var current: SeededExecutor? { OwnTasks.executor as? SeededExecutor }

    /// The number of jobs that became ready while no job of this executor caused it: those after a sleep, an actor or
    /// another thread.
    ///
    /// If it is 0, the seed alone has determined the order.
    public var outsideJobCount: Int { state.withLock(\.outsideJobCount) }

    /// Runs a program.
    ///
    /// - Parameter program: The program, whose tasks are child tasks.
    /// - Returns: The result of the program.
    /// - Throws: The error of the program.
    public func run<Output: Sendable>(_ program: @escaping @Sendable () async throws -> Output) async throws -> Output {
        let task = Task.detached(executorPreference: self) {
            // The first job came from outside.
            self.state.withLock { $0.outsideJobCount -= 1 }
            return try await OwnTasks.$executor.withValue(self) { try await program() }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Lets other tasks of the program continue first, if the seed says so.
    ///
    /// Call it between two steps of a program that others may come between. Elsewhere it does nothing.
    public static func pause() async {
        guard let current else { return }
        await withUnsafeContinuation { current.append(.pause($0)) }
    }

    /// Adds a job to those that are ready.
    ///
    /// - Parameter job: The job.
    public func enqueue(_ job: consuming ExecutorJob) {
        append(.job(UnownedJob(job)))
    }

    private func append(_ job: Job) {
        let isOutside = DispatchQueue.getSpecific(key: key) == nil
        state.withLock { state in
            state.jobs.append(job)
            if isOutside { state.outsideJobCount += 1 }
        }
        // One turn for each job. The turn decides which job it runs, once the job before it has ended.
        queue.async { self.runNext() }
    }

    private func runNext() {
        let next = state.withLock { state in
            state.jobs.remove(at: Int.random(in: state.jobs.indices, using: &state.generator))
        }
        switch next {
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .pause(let continuation): continuation.resume()
        }
    }
}
