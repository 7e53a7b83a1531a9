import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// Values whose stored form differs from their value.
@Suite struct ValueTests {
    @Test("Every list is read as it was saved, with any elements")
    func lists() async throws {
        let texts = [
            "", "NULL", "null", "\"", "\\", "a\"b\\c", "{", "}", ",", "{a,b}", " ", "\n", "\t", "ä", "e\u{301}", "𝒳",
            "\0", "a\0b", "\u{1}", "\u{1}\u{2}", "\u{2}", "'", "$1", "%", "\\x00",
        ]
        let numbers = [
            0.1, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e22,
        ]
        let backend = try await Stores.backend()
        let database = try Container(identifier: "com.example.values", backend: backend).privateDatabase
        var record = Record(recordType: "Values", recordID: RecordID(recordName: "a \"quoted\" {name}, \\ and 'more'"))
        record["texts"] = texts
        record["numbers"] = numbers
        record["integers"] = [Int64.min, -1, 0, .max]
        record["dates"] = numbers.prefix(2).map { Date(timeIntervalSinceReferenceDate: $0) }
        record["data"] = [Data(), Data([0]), Data((0...255).map { UInt8($0) })]
        record["places"] = [
            Location(latitude: 1.1, longitude: -2.2),
            Location(
                latitude: 0, longitude: 0, altitude: 1, horizontalAccuracy: 2, verticalAccuracy: 3, course: 4, speed: 5,
                timestamp: Date(timeIntervalSinceReferenceDate: 6.7)),
        ]
        record["references"] = [
            Reference(recordID: record.recordID, action: .none), Reference(recordID: record.recordID, action: .nullify),
        ]
        record["nothing"] = [String]()
        for (number, text) in texts.enumerated() { record["text\(number)"] = text }
        let saved = try await database.save(record)
        let found = try await database.record(for: record.recordID)
        #expect(found == saved)
        for key in record.allKeys() { #expect(found.fieldValue(key) == record.fieldValue(key), "\(key)") }
        for (number, text) in texts.enumerated() {
            let query = Query(recordType: "Values", filter: try Filter("text\(number) == %@", text))
            #expect(try await database.allRecords(matching: query).count == 1, "\(text.debugDescription)")
        }
        await backend.close()
    }

    @Test("A location is saved also if the role's settings take NULL in an array for a text")
    func nulls() async throws {
        let backend = try PostgresBackend(
            connection: try await PostgresServer.shared.value.connection() + "?options=-c%20array_nulls%3Doff",
            configuration: Stores.configuration())
        let database = try Container(identifier: "com.example.values", backend: backend).privateDatabase
        var record = Record(recordType: "Values", recordID: RecordID(recordName: "a"))
        record["at"] = Location(latitude: 1, longitude: 2)
        let saved = try await database.save(record)
        #expect(try await database.record(for: record.recordID) == saved)
        await backend.close()
    }

    @Test("Malformed rows give an error, and never trap")
    func damage() async throws {
        let backend = try await Stores.backend()
        let database = try Container(identifier: "com.example.values", backend: backend).privateDatabase
        var record = Record(recordType: "Values", recordID: RecordID(recordName: "a"))
        record["at"] = Location(latitude: 1, longitude: 2)
        record["places"] = [Location(latitude: 1, longitude: 2)]
        record["list"] = ["a"]
        record["to"] = [Reference(recordID: record.recordID, action: .none)]
        let saved = try await database.save(record)
        let admin = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()),
            configuration: backend.configuration)
        let table = "\"\(backend.configuration.schema)\".\"Values\""
        for (change, repair) in [
            ("\"at\" = '{}'", "\"at\" = '{1,2,NULL,NULL,NULL,NULL,NULL,NULL}'"),
            ("\"at\" = '{NULL,2,NULL,NULL,NULL,NULL,NULL,NULL}'", "\"at\" = '{1,2,NULL,NULL,NULL,NULL,NULL,NULL}'"),
            ("\"places\" = '{1}'", "\"places\" = '{1,2,NULL,NULL,NULL,NULL,NULL,NULL}'"),
            ("\"list\" = '{{a,b},{c,d}}'", "\"list\" = '{a}'"), ("\"list\" = '{NULL}'", "\"list\" = '{a}'"),
            ("\"to.action\" = '{}'", "\"to.action\" = '{0}'"), ("\"to.action\" = '{77}'", "\"to.action\" = '{0}'"),
        ] {
            try admin.run("UPDATE \(table) SET \(change)")
            let single = await #expect(throws: CabinetError.self, "\(change)") {
                try await database.record(for: record.recordID)
            }
            #expect(single?.code == .internalError)
            let all = await #expect(throws: CabinetError.self, "\(change)") {
                try await database.allRecords(matching: Query(recordType: "Values"))
            }
            #expect(all?.code == .internalError)
            try admin.run("UPDATE \(table) SET \(repair)")
        }
        #expect(try await database.record(for: record.recordID) == saved)
        await backend.close()
    }
}

extension Record {
    fileprivate func fieldValue(_ key: String) -> FieldValue? { self[key].flatMap(\.fieldValue) }
}
