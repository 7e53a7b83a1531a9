import Cabinet
import Foundation
import JSONLinesBackend
import Testing

/// Stored values have the same coding in every version: the values of an earlier version are read.
@Suite("The coded form of stored values")
struct FormatTests {
    private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Samples/store.jsonl")

    @Test("A file of an earlier version is read, every kind of change in it")
    func earlier() async throws {
        let file = try TemporaryFile()
        try FileManager.default.copyItem(at: Self.sample, to: file.url)
        let text = try file.text
        for change in [
            "addFields", "setIndexes", "save", "delete", "forgetDeletions", "eraseZone", "setEntry", "addAsset",
            "removeAsset",
        ] {
            #expect(text.contains("{\"\(change)\":{"), "\(change)")
        }
        try await file.withDatabase { _, database in
            let milk = try await database.record(for: RecordID(recordName: "milk"))
            #expect(milk["name"] as? String == "Milk")
            #expect(milk["price"] as? Double == -.infinity)
            #expect(milk["due"] as? Date == Date(timeIntervalSinceReferenceDate: 790_000_000.123456789))
            #expect(milk["place"] as? Location == Location(latitude: 1, longitude: 2))
            #expect(
                milk["list"] as? Reference == Reference(recordID: RecordID(recordName: "list"), action: .deleteSelf))
            #expect(milk["tags"] as? [String] == ["b", "a"])
            #expect(try await (milk["file"] as? Asset)?.data() == Data("new".utf8))
            #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["kept"])
            #expect(try await database.schema()["Items"].indexes == [["name", "price"]])
            let zones = try await database.databaseChanges(since: nil)
            #expect(Set(zones.modifications.map(\.zoneID.zoneName)) == ["_defaultZone", "Travel"])
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
            #expect(Set(changes.modificationResultsByID.keys.map(\.recordName)) == ["list", "milk"])
            try await database.deleteRecord(withID: RecordID(recordName: "list"))
            #expect(try await database.count(matching: Query(recordType: "Items")) == 0)
        }
    }
}
