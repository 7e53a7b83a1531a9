import Cabinet
import Foundation
import JSONLinesBackend
import Testing

@Suite("The file: its lines, torn and damaged ones, locks, and older copies")
struct FileTests {
    private func item(_ name: String) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: name))
        record["name"] = name
        return record
    }

    private func names(_ file: TemporaryFile) async throws -> [String] {
        try await file.withDatabase { _, database in
            try await database.allRecords(matching: Query(recordType: "Items")).map(\.recordID.recordName)
        }
    }

    private func fileWithItems() async throws -> TemporaryFile {
        let file = try TemporaryFile()
        try await file.withDatabase { _, database in
            for name in ["a", "b", "c"] { try await database.save(item(name)) }
        }
        return file
    }

    @Test("Each transaction is a line, and one that throws leaves none")
    func lines() async throws {
        let file = try await fileWithItems()
        #expect(try file.lines.count == 3)
        try await file.withDatabase { _, database in
            await #expect(throws: CabinetError.self) { try await database.save(item("a")) }
            _ = try await database.modifyRecords(saving: [item("d"), item("e")], deleting: [RecordID(recordName: "a")])
        }
        #expect(try file.lines.count == 4)
        #expect(try await names(file) == ["b", "c", "d", "e"])
    }

    @Test("An incomplete last line is dropped, at any byte, and the rest is intact")
    func torn() async throws {
        let file = try await fileWithItems()
        let whole = try Data(contentsOf: file.url)
        let kept = try #require(whole.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
        for length in [kept + 1, kept + 10, (kept + whole.count) / 2, whole.count - 1] {
            try whole.prefix(length).write(to: file.url)
            #expect(try await names(file) == ["a", "b"])
            #expect(try Data(contentsOf: file.url) == whole.prefix(kept))
        }
        try await file.withDatabase { _, database in _ = try await database.save(item("d")) }
        #expect(try await names(file) == ["a", "b", "d"])
    }

    @Test("A damaged line is an error that names the file and the line, and the file stays unchanged")
    func damaged() async throws {
        let file = try await fileWithItems()
        var lines = try file.lines.map(String.init)
        lines[1].removeLast(20)
        let text = lines.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: file.url)
        let error = await #expect(throws: CabinetError.self) { try await JSONLinesBackend(file: file.url) }
        #expect(error?.code == .internalError)
        #expect("\(error as Any)".contains("Line 2 of \(file.url.path)"))
        #expect(try file.text == text)
    }

    @Test("A rename is read again, and one without its record type is damaged")
    func rename() async throws {
        let file = try await fileWithItems()
        try await file.withDatabase { _, database in
            _ = try await database.rename(SchemaPart("Items", "name"), to: "title")
        }
        try await file.withDatabase { _, database in
            let item = try await database.record(for: RecordID(recordName: "a"))
            #expect(item["title"] as? String == "a" && item["name"] == nil)
        }
        let text = try file.text
        let damaged = text.replacingOccurrences(of: #""newName":"title","type":"Items""#, with: #""newName":"title""#)
        #expect(damaged != text)
        try Data(damaged.utf8).write(to: file.url)
        let error = await #expect(throws: CabinetError.self) { try await JSONLinesBackend(file: file.url) }
        #expect("\(error as Any)".contains("is damaged"))
    }

    @Test("A removal is read again: of a field, and of a record type")
    func removal() async throws {
        let file = try await fileWithItems()
        try await file.withDatabase { _, database in
            _ = try await database.drop(SchemaPart("Items", "name"), losingAtMost: 3)
        }
        try await file.withDatabase { _, database in
            #expect(try await database.schema()["Items"].fields.isEmpty)
            _ = try await database.drop(SchemaPart("Items"), losingAtMost: 3)
        }
        #expect(try file.text.contains(#"{"rename":{"type":"Items"}}"#))
        let types = try await file.withDatabase { _, database in try await database.schema().recordTypes }
        #expect(types["Items"] == nil)
    }

    @Test("Only the user may read new files, and compacting keeps the permissions")
    func permissions() async throws {
        let file = try await fileWithItems()
        func mode(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        #expect(try mode(file.url) == 0o600)
        #expect(try mode(file.url.appendingPathExtension("lock")) == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.url.path)
        try await file.withDatabase { backend, _ in try await backend.compact() }
        #expect(try mode(file.url) == 0o640)
    }

    @Test("A file has one owner at a time")
    func locked() async throws {
        let file = try await fileWithItems()
        try await file.withDatabase { _, _ in
            let error = await #expect(throws: CabinetError.self) { try await JSONLinesBackend(file: file.url) }
            #expect(error?.code == .zoneBusy)
        }
        #expect(try await names(file) == ["a", "b", "c"])
    }

    @Test("After an older copy of the file was put back, tokens of the lost changes have expired")
    func restored() async throws {
        let file = try await fileWithItems()
        let old = try Data(contentsOf: file.url)
        let (early, late) = try await file.withDatabase { _, database in
            let early = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            try await database.save(item("lost"))
            return (early, try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken)
        }
        try old.write(to: file.url)
        try await file.withDatabase { _, database in
            try await database.save(item("new"))
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: early)
            #expect(changes.modificationResultsByID.keys.map(\.recordName) == ["new"])
            let error = await #expect(throws: CabinetError.self) {
                try await database.recordZoneChanges(inZoneWith: .default, since: late)
            }
            #expect(error?.code == .changeTokenExpired)
        }
    }

    @Test("A file that cannot be opened says which")
    func unreachable() async throws {
        let url = URL(fileURLWithPath: "/nowhere/at/all/store.jsonl")
        let error = await #expect(throws: CabinetError.self) { try await JSONLinesBackend(file: url) }
        #expect(error?.code == .badContainer)
        #expect("\(error as Any)".contains(url.path))
    }

    @Test("Compacting removes only obsolete data")
    func compacted() async throws {
        let file = try await fileWithItems()
        let zone = RecordZone(zoneName: "Album")
        let (before, token) = try await file.withDatabase { backend, database in
            let empty = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            for number in 0..<20 {
                var item = try await database.record(for: RecordID(recordName: "a"))
                item["number"] = number
                item["file"] = Asset(data: Data("\(number)".utf8))
                try await database.save(item)
            }
            try await database.save(zone)
            try await database.deleteRecordZone(withID: zone.zoneID)
            try await database.save(RecordZone(zoneName: "Travel"))
            try await database.save(
                QuerySubscription(recordType: "Items", subscriptionID: "new", options: .firesOnRecordCreation))
            try await database.deleteRecord(withID: RecordID(recordName: "b"))
            return (try await database.allRecords(matching: Query(recordType: "Items")), empty)
        }
        let size = try Data(contentsOf: file.url).count
        let shown = try await file.withDatabase { backend, database in
            let shown = try await summary(database, since: token)
            try await backend.compact()
            #expect(try await summary(database, since: token) == shown)
            try await database.save(item("z"))
            try await database.deleteRecord(withID: RecordID(recordName: "z"))
            return shown
        }
        #expect(try Data(contentsOf: file.url).count < size / 3)
        try await file.withDatabase { _, database in
            #expect(try await database.allRecords(matching: Query(recordType: "Items")) == before)
            #expect(try await summary(database, since: token) == shown + ["deleted z"])
            let file = try await database.record(for: RecordID(recordName: "a"))["file"] as? Asset
            #expect(try await file?.data() == Data("19".utf8))
        }
    }

    /// The changes that a device would receive.
    private func summary(_ database: Database, since token: ServerChangeToken) async throws -> [String] {
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: token)
        let zones = try await database.databaseChanges(since: nil)
        return zones.modifications.map { "zone \($0.zoneID.zoneName)" }.sorted()
            + zones.deletions.map { "deleted zone \($0.zoneID.zoneName)" }.sorted()
            + (try await database.allSubscriptions().map { "subscription \($0.subscriptionID)" })
            + changes.modificationResultsByID.keys.map { "changed \($0.recordName)" }.sorted()
            + changes.deletions.map { "deleted \($0.recordID.recordName)" }
    }
}
