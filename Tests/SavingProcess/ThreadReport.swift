import Cabinet
import CabinetPostgres
import Foundation

/// Counts the threads of Cabinet in this process, which has no others of a program.
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

    /// The number of threads that Cabinet has started, by their names.
    private static var count: Int {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.count { thread in
            let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
            return name?.hasPrefix("Cabinet") == true
        }
    }
}
