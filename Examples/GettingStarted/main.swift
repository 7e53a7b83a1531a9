// The program that README shows, with its output.

import Cabinet
import CabinetSQLite
import Foundation

let folder = URL.temporaryDirectory.appending(path: "getting-started-\(UUID())")
let container = try Container(identifier: "com.example.shopping", backend: SQLiteBackend(directory: folder))
let database = container.privateDatabase

var list = Record(recordType: "Lists")  // the first save creates the record type
list["name"] = "Groceries"
list = try await database.save(list)

let reference = Reference(record: list, action: .deleteSelf)
for name in ["Milk", "Bread"] {
    var item = Record(recordType: "Items")
    item["name"] = name
    item["list"] = reference
    try await database.save(item)
}

let query = Query(
    recordType: "Items", filter: try Filter("list == %@", reference), sortedBy: [Sort("name")])
let items = try await database.allRecords(matching: query)
print("On the list:", items.map { $0["name"] as? String ?? "-" })

// An index for this very query: each page costs the same, however many items there are.
var schema = try await container.schema()
schema["Items"].indexes = [["list", "name"]]
try await container.apply(schema)

let groceries = Query(recordType: "Items", filter: .field("list.name") == "Groceries", sortedBy: [Sort("list.name")])
print("Groceries:", try await database.count(matching: groceries))

// A field may join at any time. Whole numbers read as Double, too.
let milk = try await database.update(items[1].recordID) { $0["number"] = 2 }
let number: Double? = milk["number"]
print("Litres of milk:", number ?? 1)

try await database.deleteRecord(withID: list.recordID)  // the items go with it
print("Items left:", try await database.count(matching: Query(recordType: "Items")))
