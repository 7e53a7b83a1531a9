import Cabinet
import CabinetTesting
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

@Suite struct ReferenceTests {
    private func references(
        _ store: Store, to names: [String], zone: RecordZone.ID = .default
    ) async throws -> Set<StoredReference> {
        let ids = names.map { RecordID(recordName: $0, zoneID: zone) }
        let found = try await store.backend.read(.public) { try await $0.references(to: ids) }
        #expect(Set(found).count == found.count)
        return Set(found)
    }

    private func reference(
        _ target: String, _ source: String, _ place: StoredReference.Place, zone: RecordZone.ID = .default
    ) -> StoredReference {
        StoredReference(
            target: RecordID(recordName: target, zoneID: zone), source: RecordID(recordName: source, zoneID: zone),
            place: place)
    }

    @Test func referencesAreFoundInEveryField() async throws {
        let store = Store()
        var child = StoredRecord("child", type: "Children")
        child.parentName = "t"
        let zone = RecordZone.ID(zoneName: "Z")
        let records = try await store.insert([
            StoredRecord("a", [("one", .reference(Reference("t"))), ("two", .reference(Reference("t", .deny)))]),
            StoredRecord(
                "b", [("one", .reference(Reference("t", .none))), ("two", .reference(Reference("u", .nullify)))]),
            StoredRecord(
                "c", [("many", .list(.reference([Reference("t", .nullify), Reference("x", .none), Reference("u")])))]),
            StoredRecord("d", zone: zone, [("one", .reference(Reference("t", zone: zone)))]),
            child,
        ])
        let expected: Set = [
            reference("t", "a", .field("one", action: .deleteSelf)), reference("t", "a", .field("two", action: .deny)),
            reference("t", "c", .field("many", action: .nullify)), reference("t", "child", .parent),
        ]
        #expect(try await references(store, to: ["t"]) == expected)
        #expect(try await references(store, to: ["x", "nobody"]).isEmpty)
        #expect(
            try await references(store, to: ["t"], zone: zone) == [
                reference("t", "d", .field("one", action: .deleteSelf), zone: zone)
            ])
        // Many IDs are looked up differently.
        let many = (0..<100).map { "s\($0)" } + ["t", "u"] + (0..<100).map { "tt\($0)" }
        let withU: Set = [
            reference("u", "b", .field("two", action: .nullify)),
            reference("u", "c", .field("many", action: .deleteSelf)),
        ]
        #expect(try await references(store, to: many.shuffled()) == expected.union(withU))

        try await store.backend.write(.public) { [records] transaction in
            var list = records[2]
            list.fields["many"] = .list(.reference([Reference("u", .deny)]))
            try await transaction.update([list])
            try await transaction.remove([records[0].recordID], firstSequenceNumber: 1_000, date: Date())
        }
        #expect(try await references(store, to: ["t"]) == [reference("t", "child", .parent)])
        #expect(
            try await references(store, to: ["u"]) == [
                reference("u", "b", .field("two", action: .nullify)),
                reference("u", "c", .field("many", action: .deny)),
            ])
        try await store.backend.write(.public) {
            try await $0.remove([RecordID(recordName: "c")], firstSequenceNumber: 1_001, date: Date())
        }
        #expect(try store.sql("SELECT count(*) FROM cabinet_list_reference") == [["0"]])
    }

    @Test(arguments: [1, 2, 3])
    func manyReferencesAreFoundAsFewAre(seed: UInt64) async throws {
        let store = Store()
        var random = SeededGenerator(seed: seed)
        let records = (0..<400).map { number in
            StoredRecord("r\(number)", [("r", .reference(Reference("r\(Int.random(in: 0..<400, using: &random))")))])
        }
        try await store.insert(records)
        let targets = (0..<200).map { _ in "r\(Int.random(in: 0..<500, using: &random))" }
        var expected: Set<StoredReference> = []
        for target in Set(targets) { expected.formUnion(try await references(store, to: [target])) }
        #expect(expected.count > 50)
        #expect(try await references(store, to: targets) == expected)
    }

    @Test func deletingTenThousandIsOneTransaction() async throws {
        let store = Store()
        try await store.insert([StoredRecord("list", type: "Lists")])
        try await store.insert((0..<10_000).map { StoredRecord("i\($0)", [("list", .reference(Reference("list")))]) })
        let commits = try #require(store.backend.files.openFile(.public)).writer.statistics.commits
        try await store.backend.write(.public) { transaction in
            let found = try await transaction.references(to: [RecordID(recordName: "list")])
            #expect(found.count == 10_000)
            #expect(try await transaction.references(to: found.map(\.source)).isEmpty)
            try await transaction.remove(
                found.map(\.source) + [RecordID(recordName: "list")], firstSequenceNumber: 100_000, date: Date())
        }
        #expect(store.backend.files.openFile(.public)?.writer.statistics.commits == commits + 1)
        for table in ["Items", "Lists", "cabinet_record"] {
            #expect(try store.sql("SELECT count(*) FROM \(table)") == [["0"]])
        }
    }
}
