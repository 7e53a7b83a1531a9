import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Two backends on one directory are like two processes: neither knows what the other does.
@Suite struct SchemaChangeTests {
    @Test func eachSeesTheFieldsThatTheOtherAdds() async throws {
        let one = Store()
        let other = Store(in: one.directory)
        var expected: [StoredRecord] = []
        for round in 0..<6 {
            let (writer, reader) = round.isMultiple(of: 2) ? (one, other) : (other, one)
            expected += try await writer.insert([
                StoredRecord("r\(round)", [("f\(round)", .int64(Int64(round))), ("name", .string("x"))]),
                StoredRecord("t\(round)", type: "Type\(round)", [("a", .string("y"))]),
            ])
            for store in [reader, writer] {
                for record in expected { #expect(try await store.record(record.recordID) == record) }
                let schema = try await store.backend.read(.public) { try await $0.schema() }
                #expect(schema.recordTypes["Items"]?.count == round + 2)
                #expect(schema.recordTypes.count == round + 2)
            }
        }
        #expect(Set(expected.map(\.sequenceNumber)).count == expected.count)
    }

    @Test func eachSeesTheZonesThatTheOtherAdds() async throws {
        let one = Store()
        let other = Store(in: one.directory)
        for round in 0..<6 {
            let (writer, reader) = round.isMultiple(of: 2) ? (one, other) : (other, one)
            let zone = RecordZone.ID(zoneName: "zone \(round)", ownerName: "owner")
            let record = try await writer.insert([StoredRecord("r", zone: zone, [("a", .int64(1))])])[0]
            #expect(try await reader.record(record.recordID) == record)
            let plan = try QueryPlan(recordType: "Items", filter: .constant(true), fields: ["a": .int64])
            let page = try await reader.backend.read(.public) { try await $0.records(matching: plan) }
            #expect(page.map(\.recordID.zoneID.zoneName) == (0...round).map { "zone \($0)" })
        }
    }

    @Test func theSameFieldAddedByBothIsOneColumn() async throws {
        let one = Store()
        let other = Store(in: one.directory)
        try await one.create()
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                let store = number.isMultiple(of: 2) ? one : other
                group.addTask { try await store.insert([StoredRecord("r\(number)", [("f\(number % 5)", .int64(1))])]) }
            }
            try await group.waitForAll()
        }
        #expect(try one.sql("SELECT count(*) FROM Items") == [["20"]])
        #expect(try one.sql("SELECT count(*) FROM cabinet_field") == [["5"]])
        #expect(try one.sql("SELECT count(DISTINCT ___etag) FROM Items") == [["20"]])
    }

    @Test(arguments: 0..<5)
    func twoMayCreateAStoreAtTheSameTime(round: Int) async throws {
        let stores = [Store()]
        let others = (0..<4).map { _ in Store(in: stores[0].directory) }
        try await withThrowingTaskGroup { group in
            for (number, store) in (stores + others).enumerated() {
                group.addTask {
                    try await store.insert([StoredRecord("r\(number)", type: "T\(number % 2)", [("a", .int64(1))])])
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<5 { #expect(try await stores[0].record(RecordID(recordName: "r\(number)")) != nil) }
    }

    @Test func aSnapshotDoesNotChange() async throws {
        let store = Store()
        try await store.insert([StoredRecord("a", [("n", .int64(1))])])
        let (before, after, schema) = try await store.backend.read(.public) { snapshot in
            let before = try await snapshot.records(
                for: [RecordID(recordName: "a"), RecordID(recordName: "b")], keys: nil)
            try await store.insert([StoredRecord("b", [("n", .int64(1)), ("m", .int64(2))])])
            let after = try await snapshot.records(
                for: [RecordID(recordName: "a"), RecordID(recordName: "b")], keys: nil)
            return (before, after, try await snapshot.schema())
        }
        #expect(before == after)
        #expect(schema.recordTypes["Items"]?.count == 1)
        #expect(try await store.record(RecordID(recordName: "b")) != nil)
    }
}
