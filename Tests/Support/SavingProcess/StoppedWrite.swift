import Cabinet
import CabinetPostgres
import Foundation
import Synchronization

/// A write of this process, which stops itself in the middle of the transaction until it is continued.
struct StoppedWrite {
    let server: String
    /// The time that the server waits for the next statement, in milliseconds.
    let idleLimit: Int
    /// The time for which the write is run again, in milliseconds.
    let reconnectionLimit: Int

    func run() async throws {
        let backend = try PostgresBackend(
            connection: server,
            configuration: PostgresConfiguration(
                schema: ProcessInfo.processInfo.environment["SAVING_PROCESS_SCHEMA"] ?? "cabinet",
                reconnectionTimeLimit: .milliseconds(reconnectionLimit), idleWriteTimeLimit: .milliseconds(idleLimit)))
        let key = StorageKey("stopped")
        let runs = Atomic<Int>(0)
        try await backend.write(.public) { transaction in
            let value = try await transaction.load(StorageKeys(entries: [key])).entries[0] ?? ""
            if runs.wrappingAdd(1, ordering: .relaxed).newValue == 1 {
                FileHandle.standardOutput.write(Data("locked\n".utf8))
                raise(SIGSTOP)
            }
            try await transaction.apply([.setEntry(key, value + "stopped")])
        }
        print("saved in run \(runs.load(ordering: .relaxed))")
        await backend.close()
    }
}
