import Cabinet

let container = try Container(
    identifier: "com.example.shopping", backend: MemoryBackend())
let database = container.privateDatabase

var list = Record(recordType: "Lists")
list["name"] = "Groceries"
list = try await database.save(list)
print("Saved:", list["name"] as? String ?? "-")
