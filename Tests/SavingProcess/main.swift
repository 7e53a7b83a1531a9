import Cabinet
import CabinetSQLite
import Foundation

// Counts the records, then saves others one by one, and says so after each save: what was printed must be there, even if the process is killed.

// The system's administrator may write everywhere: with this, somebody else tries.
if let user = ProcessInfo.processInfo.environment["SAVING_PROCESS_USER"].flatMap(UInt32.init),
    setgroups(0, nil) != 0 || setgid(user) != 0 || setuid(user) != 0
{
    perror("SavingProcess cannot become user \(user)")
    exit(71)
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 3, let directory = arguments.first, let last = arguments.last,
    let count = last == "forever" ? Int.max : Int(last)
else {
    FileHandle.standardError.write(Data("usage: SavingProcess DIRECTORY PREFIX COUNT|forever\n".utf8))
    exit(64)
}
let prefix = arguments[arguments.startIndex + 1]

do {
    let backend = SQLiteBackend(directory: URL(fileURLWithPath: directory))
    let database = try Container(identifier: "org.cabinet.saving-process", backend: backend).privateDatabase
    _ = try await database.count(matching: Query(recordType: "Items"))
    var number = 0
    while number < count {
        let name = "\(prefix)-\(number)"
        var record = Record(recordType: "Items", recordID: RecordID(recordName: name))
        record["name"] = "Item \(number)"
        record["number"] = number
        _ = try await database.save(record)
        // Written at once: nothing is buffered in this process.
        FileHandle.standardOutput.write(Data("\(name)\n".utf8))
        number += 1
    }
    await backend.close()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
