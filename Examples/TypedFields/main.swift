// The shopping list with typed fields: README shows this file.

import Cabinet
import CabinetSQLite
import Foundation

struct Lists: RecordFields {
    static let recordType = "Lists"
    let name = Field<String>("name")
}

struct Items: RecordFields {
    static let recordType = "Items"
    let name = Field<String>("name", index: .sortable)
    let number = Field<Int>("number", default: 1)
    let list = Link<Lists>("list", onDelete: .deleteSelf)
}

let folder = URL.temporaryDirectory.appending(path: "shopping-\(UUID())")
let container = try Container(
    identifier: "com.example.shopping",
    backend: SQLiteBackend(directory: folder),
    schema: .strict(Schema(Items.self, Lists.self)))
let lists = container.privateDatabase.table(Lists.self)
let items = container.privateDatabase.table(Items.self)

let groceries = try await lists.save { $0.name = "Groceries" }
for name in ["Milk", "Bread"] {
    try await items.save {
        $0.name = name  // a misspelled field does not compile
        $0.list = groceries.id  // and neither does the ID of an item
    }
}

let onList = try await items.all(
    where: { $0.list == groceries.id && $0.number > 0 }, by: \.name)
print("On the list:", onList.map(\.name))

let few = try await items.count {
    $0.list.to.name == "Groceries" && $0.number < 2
}
print("Few:", few)

let milk = try await items.update(onList[1].id) { $0.number += 1 }
print("Litres of milk:", milk.number)

try await lists.delete(groceries.id)  // and its items
print("Items left:", try await items.count())
