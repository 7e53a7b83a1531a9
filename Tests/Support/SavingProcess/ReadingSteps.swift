import Cabinet
import CabinetSQLite
import Foundation

/// Reads of a store that this process may not write.
struct ReadingSteps {
    let backend: SQLiteBackend

    func run(_ step: String) async {
        do {
            switch step {
            case "all": try await readAll()
            case "live": try await observe()
            default: try await hold(until: step)
            }
            await backend.close()
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("\((error as? CabinetError)?.code.description ?? ""): \(error)\n".utf8))
            exit(1)
        }
    }

    private var database: Database {
        get throws { try Container(identifier: "org.cabinet.saving-process", backend: backend).privateDatabase }
    }

    /// Prints what each kind of read returns, and the error of a save.
    private func readAll() async throws {
        let database = try database
        let query = Query(recordType: "Items", sortedBy: [Sort("number")])
        let found = try await database.records(matching: query).matchResults.map { try $0.1.get() }
        say("query \(found.map(\.recordID.recordName).joined(separator: " "))")
        say("count \(try await database.count(matching: query))")
        say(
            "changes \(try await database.recordZoneChanges(inZoneWith: .default, since: nil).modificationResultsByID.count)"
        )
        let record = try await database.record(for: RecordID(recordName: "r0"))
        say("asset \(String(decoding: try await (record["file"] as? Asset)?.data() ?? Data(), as: UTF8.self))")
        do {
            try await database.save(Record(recordType: "Items"))
            say("saved")
        } catch let error as CabinetError {
            say("error \(error.code): \(error.message)")
        }
    }

    /// Prints the number of records, now and after each change.
    private func observe() async throws {
        for try await records in try database.observe(Query(recordType: "Items")) { say("\(records.count)") }
    }

    /// Reads again in one snapshot once a file exists.
    private func hold(until file: String) async throws {
        let ids = [RecordID(recordName: "r0")]
        let key = DatabaseKey.private(owner: Account.default.userRecordName)
        let found = try await backend.read(key) { snapshot in
            _ = try await snapshot.load(StorageKeys(records: ids))
            say("reading")
            while !FileManager.default.fileExists(atPath: file) { try await Task.sleep(for: .milliseconds(10)) }
            return try await snapshot.load(StorageKeys(records: ids)).records.count
        }
        say("\(found)")
    }

    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
