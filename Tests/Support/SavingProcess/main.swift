import Cabinet
import CabinetConformance
import CabinetEncryption
import CabinetPostgres
import CabinetSQLite
import Foundation
import StorageTestSupport

// Counts the records, then saves others, and reports each save: reported records must exist, even if the process is
// killed.

// The system's administrator may write everywhere: with this option, another user tries.
if let user = ProcessInfo.processInfo.environment["SAVING_PROCESS_USER"].flatMap(UInt32.init),
    setgroups(0, nil) != 0 || setgid(user) != 0 || setuid(user) != 0
{
    perror("SavingProcess cannot become user \(user)")
    exit(71)
}

// The mask belongs to the whole process, so that tests cannot set it in theirs.
if let mask = ProcessInfo.processInfo.environment["SAVING_PROCESS_UMASK"].flatMap({ mode_t($0, radix: 8) }) {
    umask(mask)
}

/// The way to save records.
enum Mode: String {
    /// One by one.
    case single
    /// Ten in an atomic batch, which deletes the first one of the batch before.
    case batches
    /// One by one, each with a new field, and every tenth of a new record type.
    case schema
    /// One by one, while other indexes are created and dropped between the saves.
    case indexes
}

/// The backend of a directory or a server.
func openBackend(at place: String) throws -> any StorageBackend {
    guard place.hasPrefix("postgresql:") else { return SQLiteBackend(directory: URL(fileURLWithPath: place)) }
    let schema = ProcessInfo.processInfo.environment["SAVING_PROCESS_SCHEMA"] ?? "cabinet"
    return try PostgresBackend(connection: place, configuration: PostgresConfiguration(schema: schema))
}

/// The stores that rules run on, in directories or on a server.
func subject(at place: String) -> ConformanceSubject {
    guard place.hasPrefix("postgresql:") else { return .inDirectories { SQLiteBackend(directory: $0) } }
    return .named {
        try PostgresBackend(connection: place, configuration: PostgresConfiguration(schema: $0))
    } removing: { _ in
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count == 4, arguments[1] == "--helper" {
    exit(await ConformanceRunner.run(on: subject(at: arguments[0]), arguments: Array(arguments.dropFirst())))
}
if arguments.count == 3, ["backup", "backups", "compact", "count"].contains(arguments[1]) {
    let backend = SQLiteBackend(directory: URL(fileURLWithPath: arguments[0]))
    await BackupSteps(backend: backend).run(arguments[1], to: URL(fileURLWithPath: arguments[2]))
}
if arguments.count == 3, arguments[1] == "read" {
    let configuration = SQLiteConfiguration(pollingInterval: .milliseconds(50))
    let backend = SQLiteBackend(directory: URL(fileURLWithPath: arguments[0]), configuration: configuration)
    await ReadingSteps(backend: backend).run(arguments[2])
}
if arguments.count == 3, arguments[1] == "assets" {
    do {
        await AssetSteps(backend: try openBackend(at: arguments[0])).run(arguments[2])
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }
}
if arguments.count == 3, arguments[1] == "crash" {
    let backend = SQLiteBackend(directory: URL(fileURLWithPath: arguments[0]))
    try await CrashWorkload(backend: backend, folder: URL(fileURLWithPath: arguments[2])).run()
    exit(0)
}
if arguments.count == 2, arguments[1] == "shares" {
    await ShareSteps(backend: SQLiteBackend(directory: URL(fileURLWithPath: arguments[0]))).run()
}
if arguments.count == 3, arguments[1] == "keys", let count = Int(arguments[2]) {
    await KeySteps(store: FileKeyStore(directory: URL(fileURLWithPath: arguments[0]))).run(count)
}
if arguments.count == 3, arguments[1] == "migrate" {
    let container = try Container(
        identifier: MigrationWorkload.identifier, backend: try openBackend(at: arguments[0]))
    try await container.privateDatabase.migrate(MigrationWorkload.migrations) { _ in
        FileHandle.standardOutput.write(Data("part\n".utf8))
    }
    await container.close()
    exit(0)
}
if arguments.count == 2, arguments[1] == "threads" {
    do {
        try await ThreadReport(backend: try openBackend(at: arguments[0])).run()
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }
}
if arguments.count == 3, arguments[1] == "waiting", let count = Int(arguments[2]) {
    do {
        try await WaitingSaves(count: count, server: arguments[0]).run()
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }
}
if arguments.count == 4, arguments[1] == "stopped", let idle = Int(arguments[2]), let reconnection = Int(arguments[3]) {
    do {
        try await StoppedWrite(server: arguments[0], idleLimit: idle, reconnectionLimit: reconnection).run()
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("\((error as? CabinetError)?.code.description ?? ""): \(error)\n".utf8))
        exit(1)
    }
}
guard (3...4).contains(arguments.count), let count = arguments[2] == "forever" ? Int.max : Int(arguments[2]),
    let mode = arguments.count == 4 ? Mode(rawValue: arguments[3]) : .single
else {
    let usage = "usage: SavingProcess DIRECTORY|postgresql://… PREFIX COUNT|forever [single|batches|schema|indexes]\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}
let prefix = arguments[1]

func record(_ number: Int, type: String = "Items") -> Record {
    var record = Record(recordType: type, recordID: RecordID(recordName: "\(prefix)-\(number)"))
    record["name"] = "Item \(number)"
    record["number"] = number
    return record
}

/// A schema with one of two sets of indexes, on two record types.
func indexed(isSearched: Bool) -> Schema {
    var schema = Schema()
    for type in ["Items", "Others"] {
        schema[type]["name"] = Schema.Field(.string, isSearched ? [.searchable, .sortable] : .queryable)
        schema[type]["number"] = Schema.Field(.int64, isSearched ? [] : [.queryable, .sortable])
        schema[type].indexes = isSearched ? [["name", "number"]] : [["number", "name"]]
    }
    return schema
}

/// Reports saved records at once: nothing is buffered in this process.
func say(_ records: some Sequence<Record>) {
    let text = records.map { $0.recordID.recordName + "\n" }.joined()
    FileHandle.standardOutput.write(Data(text.utf8))
}

do {
    let backend = try openBackend(at: arguments[0])
    let database = try Container(identifier: "org.cabinet.saving-process", backend: backend).privateDatabase
    _ = try await database.count(matching: Query(recordType: "Items"))
    var number = 0
    while number < count {
        switch mode {
        case .single:
            say([try await database.save(record(number))])
            number += 1
        case .batches:
            let batch = (number..<number + 10).map { record($0) }
            let previous = number == 0 ? [] : [record(number - 10).recordID]
            let results = try await database.modifyRecords(saving: batch, deleting: previous).saveResults
            for result in results.values { _ = try result.get() }
            say(batch.dropFirst())
            number += 10
        case .schema:
            var record = record(number, type: number % 10 == 9 ? "\(prefix)Type\(number)" : "Items")
            record["\(prefix)Field\(number)"] = number
            record["\(prefix)Reference\(number)"] = Reference(recordID: record.recordID, action: .none)
            say([try await database.save(record)])
            number += 1
        case .indexes:
            say([try await database.save(record(number))])
            number += 1
            if number % 4 == 0 { try await database.apply(indexed(isSearched: number % 8 == 0)) }
        }
    }
    await backend.close()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
