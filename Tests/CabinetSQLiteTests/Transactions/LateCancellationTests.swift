import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// A cancellation that arrives when the wait is over, but before the waiting task continues.
@Suite struct LateCancellationTests {
    @Test("A cancellation that comes too late leaves nothing behind in a registry of files")
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
        #expect(registry.waitingCount == 0)
        await registry.close()
    }
}
