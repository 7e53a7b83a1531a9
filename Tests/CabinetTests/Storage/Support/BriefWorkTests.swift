import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Cabinet

/// Work whose caller spins for the result before it suspends.
@Suite(.timeLimit(.minutes(1))) struct BriefWorkTests {
    private let executor = BlockingExecutor(label: "brief")
    private let pace = ReadPace(shortestTime: .microseconds(25))

    private enum Trace {
        @TaskLocal static var value = 0
    }

    /// Blocks the thread, as a call to a store does.
    private static func block(for seconds: Double) {
        if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
    }

    @Test("It runs on the executor as a part of the caller's task, which receives its result or error")
    func answers() async throws {
        for pause in [0.0, 0.001] {
            let answer = try await Trace.$value.withValue(7) {
                try await executor.runBriefly(at: pace) { [executor] in
                    Self.block(for: pause)
                    return (Trace.value, executor.isCurrent)
                }
            }
            #expect(answer == (7, true))
            await #expect(throws: CancellationError.self) {
                try await executor.runBriefly(at: pace) {
                    Self.block(for: pause)
                    throw CancellationError()
                }
            }
        }
        #expect(!executor.isCurrent)
    }

    @Test("It is cancelled with the caller, whenever that is", arguments: [false, true])
    func cancellation(isEarly: Bool) async throws {
        let hasBegun = DispatchSemaphore(value: 0)
        let task = Task {
            if isEarly { while !Task.isCancelled { await Task.yield() } }
            return try await executor.runBriefly(at: pace) {
                hasBegun.signal()
                while !Task.isCancelled { Self.block(for: 0.0001) }
                return true
            }
        }
        if !isEarly { try await BlockingExecutor(label: "waiting").run { hasBegun.wait() } }
        task.cancel()
        #expect(try await task.value)
    }

    @Test("The spinning time follows the measured durations, and a single slow call changes nothing")
    func paces() {
        for shortest in [Duration.zero, .microseconds(25)] {
            let pace = ReadPace(shortestTime: shortest)
            #expect(pace.lookingTime == .microseconds(150))
            for _ in 0..<20 { pace.note(.microseconds(20)) }
            pace.note(.seconds(3600))
            #expect(pace.lookingTime == .microseconds(150))
            for _ in 0..<50 { pace.note(.microseconds(200)) }
            #expect(pace.lookingTime == shortest)
            for _ in 0..<50 { pace.note(.microseconds(100)) }
            #expect(pace.lookingTime == .microseconds(150))
        }
    }

    /// On every thread of Swift's pool a task calls repeatedly, and is never suspended for long.
    ///
    /// Without yielding, it would make all its calls before any other task runs.
    @Test("A task that calls repeatedly lets others have their turn", arguments: [0.0, 0.00005])
    func turns(pause: Double) async throws {
        let limit = 1000
        let race = Race()
        try await withThrowingTaskGroup { group in
            for index in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    let executor = BlockingExecutor(label: "busy \(index)")
                    var calls = 0
                    while !race.isOver.load(ordering: .relaxed), calls < limit {
                        try await executor.runBriefly(at: pace) { Self.block(for: pause) }
                        calls += 1
                    }
                    race.most.max(calls, ordering: .relaxed)
                }
            }
            group.addTask { race.isOver.store(true, ordering: .relaxed) }
            try await group.waitForAll()
        }
        #expect(race.most.load(ordering: .relaxed) < limit)
    }

    private final class Race: Sendable {
        let isOver = Atomic<Bool>(false)
        /// The maximum number of calls of one task.
        let most = Atomic<Int>(0)
    }
}
