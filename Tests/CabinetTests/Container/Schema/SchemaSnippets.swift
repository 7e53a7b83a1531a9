import Cabinet
import Testing

@Suite("The article about schemas: its programs run")
struct SchemaSnippets {
    @Test func strict() async throws {
        let backend = MemoryBackend()
        // snippet: strict
        var schema = Schema()
        schema["Lists"]["name"] = Schema.Field(.string)
        schema["Items"]["name"] = Schema.Field(.string, [.queryable, .sortable])
        schema["Items"]["stage"] = Schema.Field(.string)
        schema["Items"]["price"] = Schema.Field(.double)
        schema["Items"]["list"] = Schema.Field(.reference)

        let container = try Container(
            identifier: "com.example.shopping", backend: backend,
            schema: .strict(schema))
        let database = container.privateDatabase

        var item = Record(recordType: "Items")
        item["nmae"] = "Milk"
        do {
            try await database.save(item)
        } catch let error as CabinetError {
            // There is no field 'nmae' in Items. Did you mean 'name'?
            print(error.message)
        }
        // end
        let error = await #expect(throws: CabinetError.self) {
            try await database.save(item)
        }
        #expect(
            error?.message
                == "There is no field 'nmae' in Items. Did you mean 'name'?")

        // snippet: validate
        let query = Query(recordType: "Items", filter: .field("stage") == 3)
        #expect(throws: CabinetError.self) {
            try query.validate(against: schema)  // … Expected STRING.
        }
        // end
        await #expect(throws: CabinetError.self) {
            try await database.validate(query)
        }
    }

    @Test func rename() async throws {
        let container = try Container(
            identifier: "com.example.shopping", backend: MemoryBackend())
        let database = container.privateDatabase
        var old = Record(recordType: "Items")
        old["due"] = 3
        old = try await database.save(old)
        var slip = Record(recordType: "Items")
        slip["nmae"] = "Milk"
        slip["price"] = 2
        slip = try await database.save(slip)
        // snippet: drop
        let count = try await container.drop(
            SchemaPart("Items", "nmae"), losingAtMost: 10)
        print("\(count) values are gone.")
        // end
        #expect(count == 1)
        // snippet: double
        try await container.changeField("price", of: "Items", to: .double)
        // end
        slip = try await database.record(for: slip.recordID)
        #expect(slip["nmae"] == nil && slip["price"] == 2.0)
        // snippet: rename
        try await container.renameField("due", to: "dueDate", of: "Items")
        try await container.renameRecordType("Items", to: "Tasks")
        // end
        let task = try await database.record(for: old.recordID)
        #expect(task.recordType == "Tasks" && task["dueDate"] == 3)
        #expect(task.recordChangeTag == old.recordChangeTag)
    }

    @Test func deployed() async throws {
        let backend = MemoryBackend()
        var schema = Schema()
        schema["Items"]["name"] = Schema.Field(.string)
        try await Container(identifier: "com.example.admin", backend: backend).publicDatabase.deploy(schema)
        // snippet: deployed
        let container = try Container(
            identifier: "com.example.shopping", backend: backend,
            schema: .deployed(in: .public))
        // end
        try await container.privateDatabase.save(Record(recordType: "Items"))
        await #expect(throws: CabinetError.self) {
            try await container.publicDatabase.save(Record(recordType: "Lists"))
        }
    }

    @Test func migrations() async throws {
        let container = try Container(
            identifier: "com.example.shopping", backend: MemoryBackend())
        let database = container.privateDatabase
        var order = Record(recordType: "Orders")
        order["price"] = 2.5
        order["count"] = 4
        order = try await database.save(order)
        // snippet: migrations
        let migrations = [
            Migration(
                "due dates",
                .renameField("due", to: "dueDate", of: "Items")),
            Migration(
                "totals",
                .forEachRecord(of: "Orders") { order in
                    let price: Double = order["price"] ?? 0
                    let count: Double = order["count"] ?? 1
                    order["total"] = price * count
                    order["price"] = nil
                },
                .drop(SchemaPart("Orders", "price"))),
        ]
        try await container.migrate(migrations) { progress in
            let percent = Int(progress.fractionCompleted * 100)
            print("\(progress.migration): \(percent) %")
        }
        // end
        order = try await database.record(for: order.recordID)
        #expect(order["total"] == 10.0 && order["price"] == nil)
    }
}
