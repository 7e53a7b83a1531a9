// The program of the article "Getting started".

import Cabinet
import CabinetSQLite
import Foundation
import Groceries

let folder = URL.currentDirectory().appending(path: "Store")
let container = try Container(
    identifier: "com.example.groceries",
    backend: SQLiteBackend(directory: folder))
let database = container.privateDatabase
let groceries = Groceries(database: database)

let list = try await groceries.addList(named: "Saturday")
var milk = try await groceries.addItem(named: "Milk", to: list)
_ = try await groceries.addItem(named: "Bread", to: list)

milk["number"] = 2
milk = try await groceries.save(milk)

for item in try await groceries.items(of: list) {
    print(item["number"] as? Int ?? 0, item["name"] as? String ?? "-")
}
let lists = Query(recordType: "Lists")
print("Lists:", try await database.count(matching: lists))
await container.close()
