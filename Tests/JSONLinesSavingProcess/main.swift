import Cabinet
import Foundation
import JSONLinesBackend

// Plays a story until it is killed, and reports after each save which records exist: a list with two items. Every third
// list is deleted again, with its items.

do {
    let file = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "store.jsonl")
    let backend = try await JSONLinesBackend(file: file)
    let database = try Container(identifier: "com.example.shopping", backend: backend).privateDatabase
    for number in 0... {
        let id = RecordID(recordName: "list-\(number)")
        var list = Record(recordType: "Lists", recordID: id)
        list["name"] = "List \(number)"
        let items = ["Milk", "Bread"].map { name in
            var item = Record(recordType: "Items", recordID: RecordID(recordName: "\(id.recordName)-\(name)"))
            item["name"] = name
            item["list"] = Reference(recordID: id, action: .deleteSelf)
            return item
        }
        let results = try await database.modifyRecords(saving: [list] + items, deleting: [])
        for result in results.saveResults.values { _ = try result.get() }
        if number % 3 == 2 { _ = try await database.deleteRecord(withID: id) }
        // Not buffered, so that the output exists even if the process is killed next.
        FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
