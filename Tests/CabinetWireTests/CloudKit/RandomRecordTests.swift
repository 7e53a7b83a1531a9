import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetWire

/// Random records, which a reader reads as they were written.
@Suite("Random records of CloudKit Web Services")
struct RandomRecordTests {
    private static func text(_ generator: inout SeededGenerator) -> String {
        let scalars = (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in
            [Unicode.Scalar(UInt32.random(in: 1...0xD7FF, using: &generator)), "\"", "\\", "\n", "😀", "\u{7F}"]
                .compactMap(\.self).randomElement(using: &generator)
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func scalar(_ type: FieldType.Scalar, _ generator: inout SeededGenerator) -> FieldValue {
        let number = Int64.random(in: .min ... .max, using: &generator)
        switch type {
        case .string: return .string(text(&generator))
        case .int64: return .int64([number, 0, .min, .max].randomElement(using: &generator) ?? 0)
        case .double:
            let double = Double(bitPattern: UInt64(bitPattern: number))
            return .double(double.isNaN ? number % 2 == 0 ? .infinity : -.infinity : double)
        case .timestamp: return .timestamp(Date(milliseconds: Double(number % 100_000_000_000_000)))
        case .bytes: return .bytes(Data((0..<Int(number.magnitude % 9)).map { UInt8($0 * 31 % 256) }))
        case .reference:
            let action = [Reference.Action.none, .deleteSelf, .deny].randomElement(using: &generator) ?? .none
            return .reference(
                Reference(recordID: RecordID(recordName: "r\(number)", zoneID: .init(zoneName: "Z")), action: action))
        case .location:
            var location = Location(
                latitude: Double.random(in: -90...90, using: &generator),
                longitude: Double.random(in: -180...180, using: &generator))
            if number % 2 == 0 {
                (location.altitude, location.timestamp) = (1.5, Date(milliseconds: Double(number % 1_000_000)))
            }
            if number % 3 == 0 { (location.course, location.speed, location.horizontalAccuracy) = (1, 2.25, -3) }
            return .location(location)
        case .asset:
            return .asset(
                Asset(
                    StoredAsset(
                        checksum: Asset.Checksum(of: Data("\(number)".utf8)), size: Int64(number.magnitude >> 2))))
        }
    }

    private static func record(_ generator: inout SeededGenerator) -> Record {
        var names: [String] = []
        var values: [FieldValue?] = []
        for type in FieldType.Scalar.allCases where Bool.random(using: &generator) {
            names += [type.rawValue.lowercased(), "\(type.rawValue.lowercased())s"]
            let elements = (0..<Int.random(in: 0...3, using: &generator)).map { _ in scalar(type, &generator) }
            values += [scalar(type, &generator), FieldList(elements, of: type).map(FieldValue.list)]
        }
        if Bool.random(using: &generator), let data = text(&generator).data(using: .utf8) {
            names.append("secret")
            values.append(EncryptedValue(.encryptedBytes, ciphertext: data).map { .encrypted($0) })
        }
        var header = Record.Header(
            "Items", RecordID(recordName: "a \"b\" \(names.count)", zoneID: .init(zoneName: "Z")))
        header.recordChangeTag = "1f"
        header.creationDate = Date(milliseconds: 1_775_665_915_539)
        header.creatorUserRecordID = "_ann"
        if Bool.random(using: &generator) {
            header.parent = Reference(
                recordID: RecordID(recordName: "p", zoneID: header.recordID.zoneID), action: .none)
        }
        let fields = FieldValues(names: FieldNames(names), values: values)
        return Record(header: header, fields: fields, fetched: .init(fields, header.parent))
    }

    @Test("are read as they were written")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 1)
        for round in 0..<300 {
            let record = Self.record(&generator)
            var writer = JSONWriter()
            try CloudKitRecordWriter(
                scope: .private, values: CloudKitValueWriter(userRecordName: "_ann", numbersAsStrings: round % 4 == 0)
            ).write(record, to: &writer)
            let reader = CloudKitRecordReader(userRecordName: "_ann")
            let read = try reader.read(try JSONText(writer.bytes).root)
            #expect(read == record, "\(String(decoding: writer.bytes, as: UTF8.self))")
            #expect(read.recordChangeTag == "1f")
            #expect(read.creationDate == record.creationDate)
            #expect(read.parent == record.parent)
        }
    }

    @Test(
        "have dates that are read, and saved again, also beyond what 64 bits of milliseconds can say",
        arguments: [9.2e15, 9.3e15, 1e300, -9.2e15, -9.3e15, -1e300])
    func dates(seconds: Double) async throws {
        let store = try CloudKitStore()
        let limit = Date(milliseconds: seconds > 0 ? 0x1p63 : -0x1p63)
        let date = Date(timeIntervalSince1970: seconds)
        var record = Record(recordType: "Items", recordID: "far")
        var location = Location(latitude: 1, longitude: 2)
        location.timestamp = date
        (record["due"], record["at"]) = (date, location)
        try await store.container.privateDatabase.save(record)
        let client = store.container.over(CloudKitLoopback(base: store.container.service)).privateDatabase
        for _ in 0..<2 {
            var read = try await client.record(for: "far")
            let found = try #require(read["due"] as? Date)
            #expect(found == (abs(seconds) > 9.25e15 ? limit : date))
            #expect((read["at"] as? Location)?.timestamp == found)
            (read["due"], read["at"]) = (found, read["at"] as? Location)
            try await client.save(read)
        }
    }

    @Test("are saved by a server, and answered as they were sent")
    func saved() async throws {
        var generator = SeededGenerator(seed: 2)
        let store = try CloudKitStore()
        let client = store.container.over(CloudKitLoopback(base: store.container.service)).privateDatabase
        let zone = try await client.save(RecordZone(zoneName: "Z"))
        for round in 0..<60 {
            var record = Record(
                recordType: "Items", recordID: RecordID(recordName: "i\(round % 5)", zoneID: zone.zoneID))
            for (name, value) in Self.record(&generator).values
            where ![.asset, .reference].contains(value.fieldType.scalar) {
                record.setFieldValue(value, forKey: name)
            }
            record["self"] = Reference(record: record, action: .deny)
            let saved = try await client.modifyRecords(saving: [record], deleting: [], savePolicy: .changedKeys)
                .saveResults
            let answer = try #require(saved[record.recordID]?.record)
            for (name, value) in record.values { #expect(answer.fields[name] == value) }
            #expect(try await client.record(for: record.recordID) == answer)
        }
    }
}

extension Record {
    fileprivate var values: [(String, FieldValue)] {
        zip(fields.names.names, fields.values).compactMap { name, value in value.map { (name, $0) } }
    }
}
