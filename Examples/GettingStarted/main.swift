// The program that README shows, with its output.

import Cabinet
import CabinetSQLite
import Foundation

let folder = URL.temporaryDirectory.appending(path: "shopping-\(UUID())")
let container = try Container(
    identifier: "com.example.shopping",
    backend: SQLiteBackend(directory: folder))
let database = container.privateDatabase

var list = Record(recordType: "Lists")  // the first save creates the type
list["name"] = "Groceries"
list = try await database.save(list)

for name in ["Milk", "Bread"] {
    var item = Record(recordType: "Items")
    item["name"] = name
    item["list"] = Reference(record: list, action: .deleteSelf)
    try await database.save(item)
}

let query = Query(
    recordType: "Items", filter: try Filter("list == %@", list),
    sortedBy: ["name"])
let items = try await database.allRecords(matching: query)
print("On the list:", items.map { $0["name"] as? String ?? "-" })

let groceries = Query(
    recordType: "Items", filter: .field("list.name") == "Groceries")
print("Groceries:", try await database.count(matching: groceries))

// A field may be added at any time. Integers also read as Double.
let milk = try await database.update(items[1].recordID) { item in
    item["number"] = 2
}
let number: Double? = milk["number"]
print("Litres of milk:", number ?? 1)

try await database.deleteRecord(withID: list.recordID)  // and its items
print("Items left:", try await database.count(matching: query))
