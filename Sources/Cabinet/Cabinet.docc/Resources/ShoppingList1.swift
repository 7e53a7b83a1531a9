import Cabinet

let container = try Container(
    identifier: "com.example.shopping", backend: MemoryBackend())
let database = container.privateDatabase
