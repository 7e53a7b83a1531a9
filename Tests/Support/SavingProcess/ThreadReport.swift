import Cabinet
import CabinetPostgres
import Foundation

/// Counts the threads of this process: Cabinet's, the main thread, and those of Swift's and Dispatch's pools.
struct ThreadReport {
    let backend: any StorageBackend

    /// Prints the largest number of threads while many tasks save and observe, and the number some seconds after that.
    func run() async throws {
        let databases = try (0..<16).map { number in
            try Container(
                identifier: "org.cabinet.threads", backend: backend, account: Account(userRecordName: "_user\(number)")
            ).privateDatabase
        }
        let observations = databases.map { database in
            Task { for try await _ in database.observe(Query(recordType: "Items")) {} }
        }
        var most = 0
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<64 {
                group.addTask {
                    var most = 0
                    for number in 0..<5 {
                        var record = Record(recordType: "Items")
                        record["number"] = number
                        _ = try await databases[task % databases.count].save(record)
                        most = max(most, Self.count)
                    }
                    return most
                }
            }
            for try await count in group { most = max(most, count) }
        }
        for observation in observations { observation.cancel() }
        await backend.close()
        try await Task.sleep(for: .seconds(12))
        print("\(most) \(Self.count)")
    }

    private static var count: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
    }
}
