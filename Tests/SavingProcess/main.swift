import Cabinet
import CabinetSQLite
import Foundation

// Saves records one by one, and says so after each save: what was printed must be there, even if the process is killed.

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
