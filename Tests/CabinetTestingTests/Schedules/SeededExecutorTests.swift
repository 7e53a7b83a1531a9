import Cabinet
import CabinetTesting
import Synchronization
import Testing

/// Programs of several tasks, in an order that a seed determines.
@Suite struct SeededExecutorTests {
    /// The steps of a program, in their order.
    private final class Log: Sendable {
        private let steps = Mutex<[String]>([])

        func add(_ step: String) { steps.withLock { $0.append(step) } }

        var all: [String] { steps.withLock(\.self) }
    }

    /// Runs tasks that save, read, follow a live query and meet faults.
    private func history(seed: UInt64) async throws -> (steps: [String], outside: Int) {
        let executor = SeededExecutor(seed: seed)
        let log = Log()
        try await executor.run {
            let backend = FaultInjectingBackend(seed: seed)
            let container = try Container(
                identifier: "com.example.notes", backend: backend, deviceID: "device", now: TestClock().now)
            let database = container.privateDatabase
            backend.inject(.failure(.zoneBusy), on: .write, times: nil, probability: 0.2)
            backend.inject(.delay(.seconds(100)), on: .read, times: nil, probability: 0.2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await items in database.observe(Query(recordType: "Items")) {
                        log.add("observed \(items.map(\.recordID.recordName).sorted())")
                        if items.count == 9 { return }
                    }
                }
                for task in 0..<3 {
                    group.addTask {
                        for number in 0..<3 {
                            let id = RecordID(recordName: "\(task)-\(number)")
                            while true {
                                do {
                                    try await database.save(Record(recordType: "Items", recordID: id))
                                    break
                                } catch CabinetError.Code.zoneBusy {
                                    log.add("failed \(id.recordName)")
                                }
                            }
                            let count = try await database.count(matching: Query(recordType: "Items"))
                            log.add("saved \(id.recordName) as one of \(count)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return (log.all, executor.outsideJobCount)
    }

    @Test func theSameSeedGivesTheSameHistory() async throws {
        var histories: Set<[String]> = []
        for seed in 1...8 as ClosedRange<UInt64> {
            let first = try await history(seed: seed)
            #expect(first.steps.contains { $0.hasPrefix("observed") && $0.contains("2-2") })
            for _ in 0..<3 {
                let again = try await history(seed: seed)
                #expect(again.steps == first.steps, "seed \(seed)")
            }
            #expect(first.outside == 0, "seed \(seed): jobs that the seed does not order")
            histories.insert(first.steps)
        }
        #expect(histories.count > 4)
    }

    @Test func jobsFromOutsideAreCounted() async throws {
        let executor = SeededExecutor(seed: 1)
        try await executor.run { try await Task.sleep(for: .milliseconds(200)) }
        #expect(executor.outsideJobCount > 0)
    }

    @Test func errorsAndCancellationArrive() async throws {
        let error = await #expect(throws: CabinetError.self) {
            try await SeededExecutor(seed: 1).run { throw CabinetError(.zoneBusy, "busy") }
        }
        #expect(error?.code == .zoneBusy)
        let task = Task {
            try await SeededExecutor(seed: 1).run {
                while true {
                    try Task.checkCancellation()
                    await SeededExecutor.pause()
                }
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // snippet: race
    /// Adds 1 to a counter, and ignores that another task may have done so.
    private static func increment(in database: Database) async throws {
        var counter = try await database.record(
            for: RecordID(recordName: "counter"))
        let value: Int = counter["value"] ?? 0
        counter["value"] = value + 1
        try await database.save(counter, savePolicy: .allKeys)
    }

    /// Returns the counter after three tasks, in the order of a seed.
    private static func count(seed: UInt64) async throws -> Int? {
        try await SeededExecutor(seed: seed).run {
            let container = try Container(
                identifier: "com.example.notes",
                backend: FaultInjectingBackend())
            let database = container.privateDatabase
            let id = RecordID(recordName: "counter")
            try await database.save(
                Record(recordType: "Counters", recordID: id))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask { try await increment(in: database) }
                }
                try await group.waitForAll()
            }
            return try await database.record(for: id)["value"]
        }
    }

    @Test func aRaceIsFoundAndReplayed() async throws {
        var wrong: [UInt64] = []
        for seed in 0..<20 as Range<UInt64>
        where try await Self.count(seed: seed) != 3 { wrong.append(seed) }

        let seed = try #require(wrong.first)
        let value = try await Self.count(seed: seed)
        #expect(try await Self.count(seed: seed) == value)
    }
    // end
}
