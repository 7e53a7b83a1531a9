import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

@Suite struct RoundTripTests {
    static let texts = [
        "", "a", "\0", "a\0b", "\0\0", "e\u{301}", "é", "🛒", "\u{10FFFF}", "\u{FFFF}", "שלום", "'\"`;--%_", "\n\r\t\\",
        "null",
        "[1]", String(repeating: "x", count: 1 << 20),
    ]
    static let numbers: [Int64] = [0, 1, -1, .min, .max, 1 << 53, (1 << 53) + 1]
    static let fractions: [Double] = [
        0, 0.1, -0.1, 1, 1e300, -1e-300, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .pi,
        1 / 3,
        9_007_199_254_740_992, 1e22,
    ]
    static let dates =
        fractions.map(Date.init(timeIntervalSinceReferenceDate:)) + [
            Date(timeIntervalSince1970: -1), .distantPast, .distantFuture,
            Date(timeIntervalSince1970: 1_700_000_000.123_456_789),
        ]
    static let bytes = [Data(), Data([0]), Data([0, 255, 0]), Data(repeating: 7, count: 100_000)]
    static let references = Reference.Action.allCases.map { Reference("target-\($0)", $0) }
    static let locations = [
        Location(latitude: 0, longitude: 0),
        Location(
            latitude: -90, longitude: 179.999_999_999_999_97, altitude: 8848.86, horizontalAccuracy: 0.1,
            verticalAccuracy: 0.2,
            course: 359.9, speed: 1e-9, timestamp: dates[1]),
    ]
    static let assets = [UInt8.min, .max].flatMap { byte in
        [0, Int64.max].compactMap { size in
            Asset.Checksum(Array(repeating: byte, count: 32)).map { Asset(StoredAsset(checksum: $0, size: size)) }
        }
    }

    static var values: [FieldValue] {
        texts.map(FieldValue.string) + numbers.map(FieldValue.int64) + fractions.map(FieldValue.double)
            + dates.map(FieldValue.timestamp) + bytes.map(FieldValue.bytes) + references.map(FieldValue.reference)
            + locations.map(FieldValue.location) + assets.map(FieldValue.asset)
    }

    static var lists: [FieldList] {
        [
            .string(texts), .int64(numbers), .double(fractions), .timestamp(dates), .bytes(bytes),
            .reference(references),
            .location(locations), .asset(assets),
            .string([]), .int64([]), .double([]), .timestamp([]), .bytes([]), .reference([]), .location([]), .asset([]),
            .int64((0..<10_000).map { $0 }), .string((0..<10_000).map { "element \($0)" }),
        ]
    }

    @Test func everyValueIsRestored() async throws {
        let store = Store()
        let values = Self.values + Self.lists.map(FieldValue.list)
        let records = values.enumerated().map { index, value in
            StoredRecord(
                "r\(index)", type: "T\(value.fieldType.isList ? "L" : "")\(value.fieldType.scalar)", [("f", value)])
        }
        let saved = try await store.insert(records)
        for record in saved { #expect(try await store.record(record.recordID) == record) }
        await store.backend.close()

        let reopened = Store(in: store.directory)
        let found = try await reopened.backend.read(.public) {
            try await $0.records(for: saved.map(\.recordID), keys: nil)
        }
        #expect(found == saved)
    }

    @Test func everythingAboutARecordIsRestored() async throws {
        let store = Store()
        var record = StoredRecord("child", [("a", .int64(1)), ("b", .string("x"))])
        record.parentName = "parent"
        record.creationDate = Date(timeIntervalSinceReferenceDate: -0.1)
        let saved = try await store.insert([record, StoredRecord("other")])
        #expect(try await store.record(saved[0].recordID) == saved[0])
        #expect(try await store.record(saved[1].recordID) == saved[1])
        #expect(try await store.record(RecordID(recordName: "none")) == nil)
    }

    @Test func anUpdateReplacesEverything() async throws {
        let store = Store()
        var record = try await store.insert([
            StoredRecord("r", [("a", .int64(1)), ("b", .string("x")), ("c", .reference(Reference("t")))]),
            StoredRecord("s"),
        ])[0]
        for isRead in [true, false] {
            record.fields["a"] = nil
            record.fields["b"] = .string("y\(isRead)")
            record.fields["c"] = .reference(Reference("u", isRead ? .deny : .nullify))
            record.parentName = isRead ? "p" : nil
            record.creatorName = "_else"
            record.creationDate += 1
            record.modificationDate += 1
            record.lastModifierName += "x"
            record = try await store.backend.write(.public) { [record] transaction in
                var record = record
                if isRead { _ = try await transaction.records(for: [record.recordID], keys: nil) }
                record.sequenceNumber = try await transaction.reserveSequenceNumbers(1)
                try await transaction.update([record])
                #expect(try await transaction.records(for: [record.recordID], keys: nil) == [record])
                return record
            }
            #expect(try await store.record(record.recordID) == record)
        }
        #expect(try store.sql("SELECT ___etag FROM Items WHERE ___recordID = 'r'") == [["\(record.sequenceNumber)"]])
    }

    @Test func keysLimitTheFields() async throws {
        let store = Store()
        try await store.insert([
            StoredRecord("r", [("a", .int64(1)), ("b", .string("x")), ("c", .reference(Reference("t")))])
        ])
        let found = try await store.backend.read(.public) {
            try await $0.records(for: [RecordID(recordName: "r")], keys: ["c", "none", "a"])[0]
        }
        let fields = try #require(found?.fields)
        #expect(!fields.isComplete)
        #expect(fields.names.names == ["c", "none", "a"])
        #expect(fields.values == [.reference(Reference("t")), nil, .int64(1)])
    }

    @Test func whatCannotBeStoredAsItIsIsRefused() async throws {
        let store = Store()
        let zone = RecordZone.ID(zoneName: "Z")
        let bad: [StoredRecord] = [
            StoredRecord("r", [("f", .double(.nan))]),
            StoredRecord("r", [("f", .timestamp(Date(timeIntervalSinceReferenceDate: .nan)))]),
            StoredRecord("r", [("f", .reference(Reference("t", zone: zone)))]),
            StoredRecord("r", [("f", .list(.reference([Reference("t", zone: zone)])))]),
        ]
        for record in bad {
            await #expect { try await store.insert([record]) } throws: { CabinetError.Code.invalidArguments ~= $0 }
        }
        #expect(try await store.backend.read(.public) { try await $0.schema() } == StoredSchema())
        try await store.insert([StoredRecord("r", [("f", .int64(1))])])
        await #expect(throws: CabinetError.self) {
            try await store.backend.write(.public) { try await $0.insert([StoredRecord("s", [("f", .string("x"))])]) }
        }
        #expect(try await store.record(RecordID(recordName: "s")) == nil)
    }
}
