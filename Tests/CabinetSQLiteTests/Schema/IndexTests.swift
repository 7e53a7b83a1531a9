import CSQLite
import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The indexes of a schema, as another program sees them.
@Suite struct IndexTests {
    private static let fields = [
        StoredField(name: "name", type: .string), StoredField(name: "note", type: .string),
        StoredField(name: "number", type: .int64), StoredField(name: "list", type: .reference),
        StoredField(name: "place", type: .location), StoredField(name: "tags", type: .list(of: .string)),
    ]
    private static let all: Set<StoredIndex> = [
        .queryable("name"), .sortable("name"), .searchable("name"), .searchable("note"), .sortable("number"),
        .queryable("list"), .queryable("place"), .queryable("tags"), .queryable("modificationDate"),
        .compound(["list", "name"]), .queryable("recordID"), .queryable("parent"),
    ]

    private func set(_ indexes: Set<StoredIndex>, in store: Store, type: String = "Items") async throws {
        try await store.backend.write(.public) { transaction in
            if try await transaction.schema().recordTypes[type] == nil {
                try await transaction.add(Self.fields, to: type)
            }
            try await transaction.setIndexes(indexes, of: type)
        }
    }

    private func names(_ store: Store) throws -> [String] {
        try store.sql(
            """
            SELECT name FROM sqlite_master WHERE rootpage = 0 OR name GLOB 'cabinet_index_*' ORDER BY name
            """
        ).compactMap { $0[0] }
    }

    @Test func eachIndexIsThereOnce() async throws {
        let store = Store()
        try await set(Self.all, in: store)
        #expect(
            try names(store) == [
                "cabinet_index_Items.___modTime", "cabinet_index_Items.list,name", "cabinet_index_Items.name",
                "cabinet_index_Items.number", "cabinet_search_Items.place.places", "cabinet_search_Items.words",
            ])
        #expect(
            try store.sql("SELECT name FROM pragma_index_info('cabinet_index_Items.list,name')").map(\.[0])
                == ["list", "name"])
        #expect(
            try store.sql("SELECT fields FROM cabinet_index WHERE kind = 'INDEX'") == [[#"["list","name"]"#]])
        try await set([.sortable("name"), .searchable("note")], in: store)
        #expect(try names(store) == ["cabinet_index_Items.name", "cabinet_search_Items.words"])
        try await set([], in: store)
        #expect(try names(store) == [])
        #expect(try store.sql("SELECT count(*) FROM cabinet_index") == [["0"]])
        #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func namesThatSQLDoesNotDistinguishHaveIndexesOfTheirOwn() async throws {
        let store = Store()
        let types = [
            "Items", "items", "Items_data", "Items_config", "index_Items", "search_Items", "sqlite_x", "cabinet_Items",
        ]
        for type in types {
            try await store.backend.write(.public) { transaction in
                let names = ["a", "A", "words", "place", "Place", "place_node"]
                try await transaction.add(
                    names.map { StoredField(name: $0, type: $0.lowercased().hasPrefix("place") ? .location : .string) },
                    to: type)
                try await transaction.setIndexes(
                    Set(names.map { .queryable($0) } + [.searchable("a"), .searchable("A"), .compound(["a", "A"])]),
                    of: type)
            }
        }
        // Three b-trees, one of two fields, three of locations and one of words for each type.
        #expect(try names(store).count == types.count * 8)
        for type in types {
            try await store.insert([
                StoredRecord(
                    "r-\(type)", type: type,
                    [
                        ("a", .string("one")), ("A", .string("two")),
                        ("Place", .location(Location(latitude: 1, longitude: 2))),
                    ])
            ])
        }
        let other = Store(in: store.directory)
        for type in types {
            let schema = try await other.backend.read(.public) { try await $0.schema() }
            #expect(schema.indexes[type]?.count == 9)
        }
        #expect(try store.sql(#"SELECT words FROM "cabinet_search_Items_data.words""#) == [["two one ^5two ^5one"]])
        #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func eachBackendSeesTheIndexesThatTheOtherSets() async throws {
        let one = Store()
        let other = Store(in: one.directory)
        // The first two are one b-tree, so that only the list of indexes changes.
        let sets: [Set<StoredIndex>] = [
            [.queryable("name")], [.sortable("name")], [.searchable("name"), .queryable("tags")], [.queryable("tags")],
            [], Self.all,
        ]
        for (round, indexes) in sets.enumerated() {
            let (writer, reader) = round.isMultiple(of: 2) ? (one, other) : (other, one)
            try await set(indexes, in: writer)
            try await reader.insert([StoredRecord("r\(round)", [("name", .string("word\(round)"))])])
            for store in [one, other] {
                let schema = try await store.backend.read(.public) { try await $0.schema() }
                #expect(schema.indexes["Items"] ?? [] == indexes)
            }
        }
        #expect(try one.sql(#"SELECT count(*) FROM "cabinet_search_Items.words""#) == [["6"]])
    }

    @Test func aReaderKeepsItsStateDuringTheCreationOfAnIndex() async throws {
        let store = Store()
        try await store.insert((0..<200).map { StoredRecord("r\($0)", [("name", .string("n\($0 % 7)"))]) })
        let plan = try QueryPlan(
            recordType: "Items", filter: try Filter("name == 'n3'"), order: [Sort("name")], fields: ["name": .string])
        let counts = try await store.backend.read(.public) { snapshot in
            let before = try await snapshot.records(matching: plan).count
            try await store.backend.write(.public) { try await $0.setIndexes([.queryable("name")], of: "Items") }
            let indexes = try await snapshot.schema().indexes
            return (before, try await snapshot.records(matching: plan).count, indexes)
        }
        #expect(counts.0 == 29 && counts.1 == 29 && counts.2.isEmpty)
        #expect(try await store.backend.read(.public) { try await $0.records(matching: plan) }.count == 29)
    }

    @Test func changesOfManyWritersReachTheIndexes() async throws {
        let one = Store()
        let other = Store(in: one.directory)
        try await set(Self.all, in: one)
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                let store = number.isMultiple(of: 2) ? one : other
                group.addTask {
                    _ = try await store.insert([
                        StoredRecord("r\(number)", [("name", .string("n\(number)")), ("f\(number % 5)", .int64(1))])
                    ])
                }
                if number % 10 == 5 {
                    group.addTask { try await set(number % 20 == 5 ? [.queryable("name")] : Self.all, in: store) }
                }
            }
            try await group.waitForAll()
        }
        try await set(Self.all, in: other)
        #expect(
            try one.sql(#"SELECT count(*), count(DISTINCT rowid) FROM "cabinet_search_Items.words""#) == [["40", "40"]])
        #expect(try one.sql("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func aBrokenCatalogOfIndexesIsNamed() async throws {
        for (kind, fields) in [("UNIQUE", #"["name"]"#), ("QUERYABLE", "name"), ("SORTABLE", #"["a","b"]"#)] {
            let store = Store()
            try await set([.queryable("name")], in: store)
            await store.backend.close()
            try store.sql("UPDATE cabinet_index SET kind = '\(kind)', fields = '\(fields)'")
            let later = Store(in: store.directory)
            let error = await #expect(throws: CabinetError.self) {
                try await later.backend.read(.public) { try await $0.schema() }
            }
            #expect(error?.message.contains("cabinet_index") == true)
            // A released store has removed its directory.
            withExtendedLifetime((store, later)) {}
        }
    }
}
