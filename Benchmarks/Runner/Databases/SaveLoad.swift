import Cabinet
import CabinetPostgres
import Foundation

/// A process whose tasks save one record after the other, in some databases of a container.
struct SaveLoad: Codable {
    var connection: String
    var schema: String
    var tasks: Int
    /// The databases of this process, which its tasks use in turns.
    var databases: Range<Int>
    var seconds: Double

    /// The owner of a database.
    static func owner(_ number: Int) -> String { "_\(number)" }

    /// Saves a record in each database, reports that, waits for a line on standard input, saves for the given time, and reports the
    /// number of saves and the processor time of all of them.
    func run() async throws {
        let backend = try PostgresBackend(
            connection: connection, configuration: PostgresConfiguration(schema: schema))
        let all = try databases.map { number in
            try Container(
                identifier: "com.example.benchmark", backend: backend,
                account: Account(userRecordName: Self.owner(number))
            ).privateDatabase
        }
        _ = try await save(in: all) { count in count >= all.count }
        // A pipe would buffer what is printed.
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        _ = readLine()
        let processor = ProcessUsage.processorTime
        let start = ContinuousClock.now
        let count = try await save(in: all) { _ in start.duration(to: .now).seconds >= seconds }
        print("\(count) \(ProcessUsage.processorTime - processor)")
        await backend.close()
    }

    /// Saves in all tasks.
    ///
    /// - Parameter isOver: Whether a task ends, which would be the given one in turn of all saves.
    /// - Returns: The number of saves.
    private func save(in all: [Database], until isOver: @escaping @Sendable (Int) -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var number = 0
                    while !isOver(number * tasks + task) {
                        var record = Record(recordType: "Items")
                        record["name"] = "Item \(number)"
                        record["number"] = number
                        try await all[(number * tasks + task) % all.count].save(record)
                        number += 1
                    }
                    return number
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
