import Cabinet
import CabinetPostgres
import Foundation
import Testing

/// Several processes on one server, as on several machines.
@Suite struct ProcessTests {
    /// Starts the program `SavingProcess`, which is built beside these tests.
    private func start(_ arguments: [String], schema: String) throws -> (process: Process, output: Pipe) {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? ""
        var folder = URL(fileURLWithPath: bundle)
        while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
        let process = Process()
        process.executableURL = folder.appendingPathComponent("SavingProcess")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["SAVING_PROCESS_SCHEMA": schema]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    private func names(_ data: Data) -> [String] {
        // A line without its end was not printed: the process died before.
        data.prefix(upTo: (data.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1).split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("Processes that save at once lose nothing, nor does one that is killed", arguments: ["batches", "schema"])
    func processes(mode: String) async throws {
        let connection = try await PostgresServer.shared.value.connection()
        let configuration = Stores.configuration()
        let runs = try ["a", "b"].map { try start([connection, $0, "40", mode], schema: configuration.schema) }
        let victim = try start([connection, "c", "forever", mode], schema: configuration.schema)
        var printed = Data()
        while names(printed).count < 25 {
            let data = victim.output.fileHandleForReading.availableData
            if data.isEmpty { break }
            printed += data
        }
        kill(victim.process.processIdentifier, SIGKILL)
        printed += victim.output.fileHandleForReading.readDataToEndOfFile()
        var saved = names(printed)
        for run in runs {
            saved += names(run.output.fileHandleForReading.readDataToEndOfFile())
            run.process.waitUntilExit()
            #expect(run.process.terminationStatus == 0)
        }
        #expect(saved.count >= (mode == "batches" ? 95 : 105))
        let backend = try await Stores.backend(configuration)
        let database = try Container(identifier: "org.cabinet.saving-process", backend: backend).privateDatabase
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        let found = Set(changes.modificationResultsByID.keys.map(\.recordName))
        #expect(found.isSuperset(of: saved))
        await backend.close()
    }
}
