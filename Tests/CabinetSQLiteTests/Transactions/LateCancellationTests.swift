import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetSQLite

/// A cancellation that arrives when the wait is over, but before the waiting task continues.
@Suite struct LateCancellationTests {
    /// Runs a task's jobs on request, so that a test decides what happens between two of them.
    private final class HeldExecutor: TaskExecutor {
        private let jobs = Mutex<[UnownedJob]>([])

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
        }

        var hasJobs: Bool { jobs.withLock { !$0.isEmpty } }

        func runAll() {
            while true {
                let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                guard let next else { return }
                next.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }

    @Test("A pool of readers remembers no cancellation that came too late")
    func readers() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-late-\(UUID().uuidString)")
        let assets = try AssetStore(directory: directory, access: .owner).folder(of: .public)
        let pool = ReaderPool(limit: 1) { number in
            Reader(
                path: directory.path, number: number, configuration: SQLiteConfiguration(), catalogs: SchemaCache(),
                assets: assets)
        }
        let executor = HeldExecutor()
        for _ in 0..<50 {
            let reader = try await pool.take()
            let task = Task(executorPreference: executor) { try await pool.take() }
            executor.runAll()
            #expect(pool.waitingCount == 1)
            pool.giveBack(reader)
            task.cancel()
            executor.runAll()
            pool.giveBack(try await task.value)
        }
        #expect(pool.cancellationCount == 0)
    }

    @Test("A registry of files remembers no cancellation that came too late")
    func files() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-late-\(UUID().uuidString)")
        var configuration = SQLiteConfiguration()
        configuration.maximumOpenDatabases = 1
        let registry = FileRegistry(
            directory: directory, configuration: configuration, assets: AssetStore(directory: directory, access: .owner)
        )
        let executor = HeldExecutor()
        for _ in 0..<50 {
            _ = try await registry.acquire(.public)
            let task = Task(executorPreference: executor) {
                _ = try await registry.acquire(.private(owner: "a"))
                registry.release(.private(owner: "a"))
            }
            executor.runAll()
            #expect(registry.waitingCount == 1)
            registry.release(.public)
            // The slot is free once the other file is closed, which happens concurrently.
            while !executor.hasJobs { await Task.yield() }
            task.cancel()
            executor.runAll()
            try await task.value
        }
        #expect(registry.cancellationCount == 0)
        await registry.close()
    }
}
