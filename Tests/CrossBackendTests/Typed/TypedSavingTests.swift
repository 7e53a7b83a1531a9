import BackendTestSupport
import Cabinet
import CabinetSQLite
import Testing

@Suite("Typed saves of several types, and typed conflicts")
struct TypedSavingTests {
    private struct Lists: RecordFields {
        static let recordType = "Lists"
        let name = Field<String>("name")
    }

    private struct Items: RecordFields {
        static let recordType = "Items"
        let name = Field<String>("name")
        let number = Field<Int>("number", default: 1)
        let note = Field<String?>("note")
        let list = Link<Lists>("list", onDelete: .deleteSelf)
    }

    private func with(_ kind: BackendKind, _ body: (Database) async throws -> Void) async throws {
        func run(_ backend: any StorageBackend) async throws {
            let container = try Container(identifier: "com.example.typed-saving", backend: backend)
            try await body(container.privateDatabase)
            await container.close()
        }
        if kind == .memory { return try await run(MemoryBackend()) }
        try await TestDirectory.with { try await run(SQLiteBackend(directory: $0)) }
    }

    @Test("Records of several types are saved and deleted in one transaction", arguments: BackendKind.local)
    func types(_ kind: BackendKind) async throws {
        try await with(kind) { database in
            let (lists, items) = (database.table(Lists.self), database.table(Items.self))
            var (list, milk) = (lists.make(), items.make(named: "milk"))
            list.name = "Groceries"
            milk.name = "Milk"
            milk.list = list.id
            // The list need not be saved before the item that refers to it.
            let (savedList, savedMilk) = try await database.save(list, milk)
            #expect(savedList.name == "Groceries" && savedMilk.list == savedList.id && savedMilk.number == 1)
            #expect(savedMilk.record.recordChangeTag != nil)
            let other = try await lists.save { $0.name = "Old" }
            milk = savedMilk
            milk.number = 2
            milk = try await database.save(milk, deleting: [other.id])
            #expect(milk.number == 2)
            #expect(try await lists.all().map(\.name) == ["Groceries"])
            try await database.delete([savedList.id, milk.id])
            #expect(try await lists.count() == 0)
            #expect(try await items.count() == 0)
        }
    }

    @Test("Arrays of several types are saved in one transaction", arguments: BackendKind.local)
    func arrays(_ kind: BackendKind) async throws {
        try await with(kind) { database in
            let (lists, items) = (database.table(Lists.self), database.table(Items.self))
            let list = try await lists.save { $0.name = "Groceries" }
            let new = ["Milk", "Bread", "Wine"].map { name in
                var item = items.make()
                item.name = name
                item.list = list.id
                return item
            }
            var renamed = list
            renamed.name = "Food"
            let (savedLists, savedItems) = try await database.save([renamed], new)
            #expect(savedLists.map(\.name) == ["Food"] && savedItems.map(\.name) == ["Milk", "Bread", "Wine"])
            #expect(savedItems.map(\.id) == new.map(\.id))
            // One stale record, a missing value or a refused deletion leaves everything unchanged.
            var milk = savedItems[0]
            milk.name = "Oat milk"
            let conflict = await #expect(throws: CabinetError.self) { try await database.save([milk], [list]) }
            let causes = [
                milk.id.recordID: CabinetError.Code.batchRequestFailed, list.id.recordID: .serverRecordChanged,
            ]
            #expect(conflict?.code == .partialFailure && conflict?.partialErrorsByItemID.mapValues(\.code) == causes)
            // A single record throws its own error.
            let single = await #expect(throws: CabinetError.self) { try await database.save(list) }
            #expect(single?.code == .serverRecordChanged)
            let missing = await #expect(throws: CabinetError.self) { try await database.save(milk, lists.make()) }
            #expect(missing?.fieldKey == "name" && missing?.message.contains("'name' of Lists") == true)
            var guarded = Record(recordType: "Guards")
            guarded["list"] = Reference(recordID: list.id.recordID, action: .deny)
            try await database.save(guarded)
            let denial = await #expect(throws: CabinetError.self) {
                try await database.save([milk], deleting: [list.id])
            }
            #expect(denial?.partialErrorsByItemID[list.id.recordID]?.code == .referenceViolation)
            #expect(try await items.all(by: \.name).map(\.name) == ["Bread", "Milk", "Wine"])
        }
    }

    @Test("A conflict is merged field by field, with typed values", arguments: BackendKind.local)
    func conflicts(_ kind: BackendKind) async throws {
        try await with(kind) { database in
            let items = database.table(Items.self)
            var milk = try await items.save { $0.name = "Milk" }
            try await items.update(milk.id) {
                $0.number = 5
                $0.name = "Oat milk"
            }
            milk.number = 3
            milk.note = "The fresh one"
            milk = try await items.save(milk) { conflict in
                #expect(conflict.ancestor?.number == 1 && conflict.client.number == 3 && conflict.server.number == 5)
                let both = try [conflict.haveBothChanged(\.number), conflict.haveBothChanged(\.note)]
                #expect(try both == [true, false] && !conflict.haveBothChanged(\.name))
                var item = try conflict.merged(whenBothChanged: .server)
                item.number += conflict.client.number - (conflict.ancestor?.number ?? 0)
                return item
            }
            #expect(milk.name == "Oat milk" && milk.note == "The fresh one" && milk.number == 7)
            #expect(try await items.record(for: milk.id) == milk)
            for preference in [ConflictResolver.FieldPreference.client, .server] {
                var stale = milk
                stale.number += 1
                try await items.update(milk.id) { $0.number = 20 }
                milk = try await items.save(stale) { try $0.merged(whenBothChanged: preference) }
                #expect(milk.number == (preference == .client ? stale.number : 20))
            }
            var stale = milk
            try await items.update(milk.id) { $0.number = 30 }
            stale.number = 31
            let error = await #expect(throws: CabinetError.self) {
                try await items.save(stale) { try $0.merged(whenBothChanged: .fail) }
            }
            #expect(error?.code == .serverRecordChanged && error?.fieldKey == "number")
        }
    }
}
