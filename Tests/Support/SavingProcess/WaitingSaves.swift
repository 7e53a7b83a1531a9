import Cabinet
import CabinetPostgres
import Foundation

/// Saves a record in each of many databases at once, each over a connection of its own, and waits as long as the server does.
struct WaitingSaves {
    let count: Int
    let server: String

    func run() async throws {
        let backend = try PostgresBackend(
            connection: server,
            configuration: PostgresConfiguration(
                schema: ProcessInfo.processInfo.environment["SAVING_PROCESS_SCHEMA"] ?? "cabinet",
                maximumConnections: count, connectionWaitLimit: .seconds(600), connectionTimeLimit: .seconds(600),
                statementTimeLimit: nil, busyTimeout: .seconds(600)))
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let container = try Container(
                        identifier: "org.cabinet.waiting", backend: backend,
                        account: Account(userRecordName: "_user\(number)"))
                    _ = try await container.privateDatabase.save(Record(recordType: "Items"))
                }
            }
            try await group.waitForAll()
        }
        await backend.close()
    }
}
