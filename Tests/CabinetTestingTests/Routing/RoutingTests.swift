import Cabinet
import Foundation
import Testing

@testable import CabinetTesting

@Suite("Routing")
struct RoutingTests {
    @Test("Databases are spread over the stores, and all processes find them")
    func spreading() async throws {
        let (berlin, paris) = (MemoryBackend(), MemoryBackend())
        func process() throws -> RoutingBackend {
            try RoutingBackend(stores: ["berlin": berlin, "paris": paris], directory: StoredDirectory(in: berlin))
        }
        let (first, second) = (try process(), try process())
        for number in 0..<200 {
            let database = try CopySamples.container(first, user: "_user\(number)").privateDatabase
            try await database.save(Record("Items", "a", ["number": number]))
        }
        let databases = try await second.databases()
        #expect(Set(databases) == Set((0..<200).map { .private(owner: "_user\($0)") }))
        #expect(databases.count == 200)
        var counts: [String: Int] = [:]
        for database in databases { counts[try await second.home(of: database)?.name ?? "", default: 0] += 1 }
        #expect((counts["berlin"] ?? 0) > 60 && (counts["paris"] ?? 0) > 60, "\(counts)")
        for number in 0..<200 {
            let database = try CopySamples.container(second, user: "_user\(number)").privateDatabase
            #expect(try await database.fetch("a")["number"] as? Int == number)
        }
    }

    @Test("Reading gives no home, and what was there before the directory is found")
    func before() async throws {
        let stores = RoutedStores()
        #expect(try await stores.process().annas.itemCount() == 0)
        #expect(try await stores.process().home(of: RoutedStores.anna) == nil)
        try await CopySamples.container(stores.paris).privateDatabase.save(Record("Items", "a"))
        #expect(try await stores.process().annas.itemCount() == 1)
        #expect(try await stores.process().databases().contains(RoutedStores.anna))
        try await stores.process().annas.save(Record("Items", "b"))
        #expect(try await stores.process().home(of: RoutedStores.anna)?.name == "paris")
    }

    @Test("Of several processes, one gives a database its home")
    func oneHome() async throws {
        let (berlin, paris, rome) = (MemoryBackend(), MemoryBackend(), MemoryBackend())
        func process(_ name: String) throws -> RoutingBackend {
            try RoutingBackend(
                stores: ["berlin": berlin, "paris": paris], directory: StoredDirectory(in: rome),
                placement: DatabasePlacement { _, _ in name })
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    let database = try process(number.isMultiple(of: 2) ? "berlin" : "paris").annas
                    try await database.save(Record("Items", "\(number)"))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await process("paris").annas.itemCount() == 40)
    }

    @Test("What cannot be right is refused")
    func refusals() async throws {
        let store = MemoryBackend()
        #expect(throws: CabinetError.self) {
            try RoutingBackend(stores: [:], directory: StoredDirectory(in: store))
        }
        #expect(throws: CabinetError.self) {
            try RoutingBackend(stores: ["a": store, "b": store], directory: StoredDirectory(in: store))
        }
        let stores = RoutedStores()
        try await stores.process().annas.save(Record("Items", "a"))
        await expectCode(.invalidArguments) { try await stores.process().move(RoutedStores.anna, to: "rome") }
        // A process that does not know the store.
        let other = try RoutingBackend(
            stores: ["paris": stores.paris], directory: StoredDirectory(in: stores.directory))
        await expectCode(.invalidArguments) { _ = try await other.annas.itemCount() }
        // What the directory would know, and another one does not.
        try await CopySamples.container(stores.paris).privateDatabase.save(Record("Items", "b"))
        let unknown = try RoutingBackend(
            stores: ["berlin": stores.berlin, "paris": stores.paris], directory: StoredDirectory(in: MemoryBackend()))
        await expectCode(.invalidArguments) { _ = try await unknown.annas.itemCount() }
        // What no move has brought is not touched.
        await expectCode(.invalidArguments) { try await stores.process().move(RoutedStores.anna, to: "paris") }
        #expect(try await CopySamples.container(stores.paris).privateDatabase.fetch("b").recordType == "Items")
        try await stores.process().move(RoutedStores.anna, to: "berlin")
        #expect(try await stores.process().annas.itemCount() == 1)
    }
}

/// Expects a failure with a code.
func expectCode(_ code: CabinetError.Code, _ body: () async throws -> Void) async {
    do {
        try await body()
        Issue.record("Nothing was thrown.")
    } catch {
        #expect((error as? CabinetError)?.code == code, "\(error)")
    }
}
