// The program that README shows, with its output.

import Cabinet
import CabinetSQLite
import Foundation

let folder = FileManager.default.temporaryDirectory.appending(path: "getting-started-\(UUID())")
let container = try Container(identifier: "com.example.shopping", backend: SQLiteBackend(directory: folder))
let database = container.privateDatabase

// The first save of a record type creates it.
var list = Record(recordType: "Lists")
list["name"] = "Groceries"
list = try await database.save(list)

for name in ["Milk", "Bread"] {
    var item = Record(recordType: "Items")
    item["name"] = name
    item["list"] = Reference(record: list, action: .deleteSelf)
    try await database.save(item)
}

let query = Query(
    recordType: "Items",
    filter: try Filter("list == %@", Reference(record: list, action: .deleteSelf)),
    sortedBy: [Sort("name")])
var items = try await database.allRecords(matching: query)
print("On the list:", items.map { $0["name"] as? String ?? "-" })

// A field may join at any time; a whole number reads as a Double, too.
let milk = try await database.update(items[1].recordID) { $0["number"] = 2 }
let number: Double? = milk["number"]
print("Milk:", number ?? 1)

// The items go with their list.
try await database.deleteRecord(withID: list.recordID)
print("Items left:", try await database.count(matching: Query(recordType: "Items")))
