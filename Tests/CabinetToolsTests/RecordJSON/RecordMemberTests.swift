import Cabinet
import Foundation
import Testing

@testable import CabinetTools

@Suite("JSON: members that are not read")
struct RecordMemberTests {
    @Test(
        "A member that a record does not have is refused with the nearest one",
        arguments: [
            (#"{"recordName":"a","feilds":{"x":1}}"#, "'feilds' is not a member of a record. Did you mean 'fields'?"),
            (#"{"type":"T"}"#, "Its members are recordName, recordType"), (#"{"recordName":1}"#, "expected a text"),
        ])
    func records(line: String, message: String) throws {
        let error = try #require(throws: CabinetError.self) {
            try RecordJSON.checkMembers(of: JSONValue(record: line))
        }
        #expect(error.message.contains(message), "\(error.message)")
    }

    private func fill(_ json: String, type: Schema.RecordType? = nil) throws -> Record {
        var record = Record(recordType: "T")
        record["l"] = Reference(recordID: "old", action: .deny)
        let object: JSONValue = ["fields": ["l": try JSONValue(parsing: json)]]
        try RecordJSON.fill(&record, from: object, files: .any(relativeTo: .temporaryDirectory), type: type)
        return record
    }

    @Test(
        "A member that a value does not have is refused",
        arguments: [
            (#"{"reference":"a","acton":"deleteSelf"}"#, "'action'"), (#"{"reference":"a","action":1}"#, "deleteSelf"),
            (#"{"timestamp":"2026-12-24T18:00:00Z","second":1}"#, "'seconds'"),
            (#"{"location":{"latitude":1,"longitude":2,"altitud":3}}"#, "'altitude'"),
            (#"[{"file":"/a","sise":1}]"#, "'size'"), (#"{"bytes":"AAE=","text":"a"}"#, "Its members are bytes."),
        ])
    func values(json: String, message: String) throws {
        var schema = Schema()
        schema["T"]["l"] = Schema.Field(.reference)
        for type in [nil, schema["T"]] {
            let error = try #require(throws: CabinetError.self) { try fill(json, type: type) }
            #expect(error.message.contains(message), "\(error.message)")
        }
    }

    @Test("The printed object of a record is read again")
    func printed() throws {
        var record = Record(recordType: "T", recordID: RecordID(zoneID: RecordZone.ID(zoneName: "Work")))
        record["date"] = Date(timeIntervalSinceReferenceDate: 1.5)
        record["bytes"] = Data([1])
        record["list"] = [Reference(recordID: "a", action: .nullify)]
        record["place"] = Location(latitude: 1, longitude: 2, altitude: 3)
        record["inf"] = Double.infinity
        record["none"] = [String]()
        record.setParent("b")
        let object = RecordJSON.object(record)
        try RecordJSON.checkMembers(of: object)
        var copy = Record(recordType: "T", recordID: record.recordID)
        try RecordJSON.fill(&copy, from: object, files: .any(relativeTo: .temporaryDirectory))
        #expect(RecordJSON.object(copy) == object)
    }

    @Test(
        "An import refuses a line with another member, and keeps the stored record",
        arguments: [
            (#"{"recordName":"penny","recordType":"Coin","feilds":{"year":3}}"#, "Did you mean 'fields'?"),
            (#"{"zone":"Work","recordname":"penny","fields":{}}"#, "Did you mean 'recordName'?"),
            (#"{"deleted":{"recordName":"penny","recordTyp":"Coin"}}"#, "Did you mean 'recordType'?"),
        ])
    func imports(line: String, message: String) async throws {
        let container = try Container(identifier: "test", backend: MemoryBackend())
        var record = Record(recordType: "Coin", recordID: "penny")
        record["year"] = 1967
        try await container.privateDatabase.save(record)
        let file = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("\(line)\n".utf8).write(to: file)
        var transfer = try await DatabaseImport(of: file, into: container.privateDatabase, of: container)
        let error = await #expect(throws: CabinetError.self) { try await transfer.run { _ in } }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(".jsonl:1:") == true)
        #expect(throws: CabinetError.self) { try ImportPreview(of: file) }
        #expect(try await container.privateDatabase.record(for: "penny")["year"] as? Int == 1967)
    }
}
