import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import Testing

// snippet: program
/// The part of a program that the tests below are about.
struct Pantry {
    let database: Database

    func add(_ name: String) async throws -> Record {
        var item = Record(recordType: "Items")
        item["name"] = name
        return try await database.save(item)
    }

    /// Deletes the items that are older than a week.
    func clean(now: Date) async throws {
        let old = Query(
            recordType: "Items",
            filter: .field("creationDate") < now.addingTimeInterval(-604_800))
        let items = try await database.allRecords(matching: old)
        try await database.delete(items.map(\.recordID))
    }
}
// end

// snippet: suite
@Suite struct PantryTests {
    let database: Database
    let pantry: Pantry
    let clock = TestClock()

    init() throws {
        let container = try Container(
            identifier: "com.example.pantry", backend: MemoryBackend(),
            now: clock.now)
        database = container.privateDatabase
        pantry = Pantry(database: database)
    }

    @Test func anItemIsSavedWithItsName() async throws {
        let item = try await pantry.add("Milk")
        #expect(item["name"] as? String == "Milk")
    }

    @Test func oldItemsAreDeleted() async throws {
        _ = try await pantry.add("Milk")
        clock.advance(by: 8 * 86_400)
        _ = try await pantry.add("Bread")

        try await pantry.clean(now: clock.now())
        let rest = try await database.allRecords(
            matching: Query(recordType: "Items"))
        #expect(rest.map { $0["name"] as? String } == ["Bread"])
    }
}
// end

// snippet: errors
@Suite struct PantryErrorTests {
    @Test func aMissingItemIsReported() async throws {
        let container = try Container(
            identifier: "com.example.pantry", backend: MemoryBackend())
        let error = await #expect(throws: CabinetError.self) {
            try await container.privateDatabase.record(for: "milk")
        }
        #expect(error?.code == .unknownItem)
    }

    @Test func anAddFailsWhileTheStoreIsBusy() async throws {
        let backend = FaultInjectingBackend()
        let container = try Container(
            identifier: "com.example.pantry", backend: backend)
        let pantry = Pantry(database: container.privateDatabase)

        backend.inject(.failure(.zoneBusy), on: .write)
        await #expect(throws: CabinetError.self) {
            try await pantry.add("Milk")
        }
        _ = try await pantry.add("Milk")  // the fault was for one call
    }
}
// end

// snippet: backends
@Suite struct BackendTests {
    enum Store: CaseIterable { case memory, sqlite }

    @Test(arguments: Store.allCases)
    func itemsAreFoundByName(store: Store) async throws {
        let folder = URL.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let backend: any StorageBackend =
            switch store {
            case .memory: MemoryBackend()
            case .sqlite: SQLiteBackend(directory: folder)
            }
        let container = try Container(
            identifier: "com.example.pantry", backend: backend)
        let database = container.privateDatabase

        _ = try await Pantry(database: database).add("Milk")
        let found = try await database.exists(
            matching: Query(
                recordType: "Items", filter: .field("name") == "Milk"))
        #expect(found)
        await container.close()
    }
}
// end

// snippet: devices
@Suite struct DeviceTests {
    @Test func bothDevicesSeeTheSameItems() async throws {
        let backend = MemoryBackend()
        let phone = try Container(
            identifier: "com.example.pantry", backend: backend)
        let laptop = try Container(
            identifier: "com.example.pantry", backend: backend)

        let item = try await Pantry(database: phone.privateDatabase)
            .add("Milk")
        let copy = try await laptop.privateDatabase
            .record(for: item.recordID)
        #expect(copy == item)
    }

    @Test func anotherUserSeesNothing() async throws {
        let backend = MemoryBackend()
        let anna = try Container(
            identifier: "com.example.pantry", backend: backend,
            account: Account(userRecordName: "_anna"))
        let ben = try Container(
            identifier: "com.example.pantry", backend: backend,
            account: Account(userRecordName: "_ben"))

        _ = try await Pantry(database: anna.privateDatabase).add("Milk")
        let count = try await ben.privateDatabase.count(
            matching: Query(recordType: "Items"))
        #expect(count == 0)
    }
}
// end

// snippet: strict
@Suite struct SchemaTests {
    @Test func everyNameIsDeclared() async throws {
        var schema = Schema()
        schema["Items"]["name"] = Schema.Field(.string)
        let container = try Container(
            identifier: "com.example.pantry", backend: MemoryBackend(),
            schema: .strict(schema))

        _ = try await Pantry(database: container.privateDatabase)
            .add("Milk")
    }
}
// end

// snippet: live
@Suite struct LiveTests {
    @Test(.timeLimit(.minutes(1)))
    func aNewItemIsShown() async throws {
        let container = try Container(
            identifier: "com.example.pantry", backend: MemoryBackend())
        let database = container.privateDatabase
        let query = Query(recordType: "Items", sortedBy: ["name"])
        var states = database.observe(query).makeAsyncIterator()

        #expect(try await states.next()?.isEmpty == true)
        _ = try await Pantry(database: database).add("Milk")
        #expect(try await states.next()?.count == 1)
    }
}
// end
