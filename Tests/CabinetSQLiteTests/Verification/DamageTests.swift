import Cabinet
import CabinetTesting
import CabinetTools
import Foundation
import Testing

@testable import CabinetSQLite

/// Every change of a file by hand is found, the rest can be read, and derived structures are rebuilt.
@Suite(.serialized, .timeLimit(.minutes(15))) struct DamageTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: String
        /// The expected findings.
        let kinds: Set<IntegrityIssue.Kind>
        /// The expected findings after a repair.
        let remaining: Set<IntegrityIssue.Kind>
        /// The text of a finding.
        let names: String

        init(
            _ description: String, _ sql: String, _ kinds: Set<IntegrityIssue.Kind>,
            remaining: Set<IntegrityIssue.Kind> = [], naming names: String = ""
        ) {
            testDescription = description
            self.sql = sql
            self.kinds = kinds
            self.remaining = remaining
            self.names = names
        }
    }

    private static let item = #"(SELECT "___insertion" FROM "Items" WHERE "___recordID" = 'item5' AND "___zone" = 1)"#

    static let damages: [Damage] = [
        Damage(
            "a record that is not found by its ID",
            "DELETE FROM cabinet_record WHERE recordName = 'item5' AND zone = 1",
            [.identity, .storage], naming: "item5"),
        Damage(
            "a record that is said to be of another type",
            "UPDATE cabinet_record SET type = 77 WHERE recordName = 'item5' AND zone = 1",
            [.identity, .storage], naming: "77"),
        Damage(
            "a row that is missing", #"DELETE FROM "Items" WHERE "___recordID" = 'item5' AND "___zone" = 1"#,
            [.storage, .unreadable], naming: "item5"),
        Damage(
            "a target that is missing",
            #"DELETE FROM "Lists" WHERE "___recordID" = 'list3'; DELETE FROM cabinet_record WHERE recordName = 'list3'"#,
            [.reference], remaining: [.reference], naming: "list3"),
        Damage(
            "a number that was never given out",
            #"UPDATE "Items" SET "___etag" = 1000000 WHERE "___recordID" = 'item5' AND "___zone" = 1"#,
            [.sequenceNumber, .zone], naming: "1000000"),
        Damage(
            "two records with one number",
            #"UPDATE "Items" SET "___etag" = 20 WHERE "___recordID" IN ('item5', 'item6') AND "___zone" = 1"#,
            [.sequenceNumber], remaining: [.sequenceNumber], naming: "20"),
        Damage(
            "a unique value that two records have",
            #"UPDATE "Items" SET code = 'Work 6' WHERE "___recordID" = 'item5' AND "___zone" = 1"#,
            [.uniqueValue], remaining: [.uniqueValue], naming: "UNIQUE (code)"),
        Damage(
            "a zone that does not know of its changes",
            "UPDATE cabinet_entry SET value = '0 1 0 ' WHERE key = 'database/zone/__defaultOwner__/_defaultZone'",
            [.zone], naming: "number 1,"),
        Damage(
            "a deletion of a record that exists",
            "INSERT INTO cabinet_deletion VALUES (1, 1, 'item5', 1, 0)", [.changeFeed], naming: "deleted"),
        Damage(
            "words that are not found", #"DELETE FROM "cabinet_search_Items.words" WHERE rowid = \#(item)"#,
            [.storage, .index], naming: "cabinet_search_Items.words"),
        Damage(
            "words that no record has",
            #"INSERT INTO "cabinet_search_Items.words" (rowid, words) VALUES (9999, 'ghost')"#, [.storage],
            naming: "9999"),
        Damage(
            "locations that are not found", #"DELETE FROM "cabinet_search_Items.at.places" WHERE id = \#(item)"#,
            [.storage, .index], naming: "places"),
        Damage(
            "a place elsewhere",
            #"UPDATE "cabinet_search_Items.at.places" SET south = 80, north = 81 WHERE id = \#(item)"#,
            [.storage, .index], naming: "places"),
        Damage(
            "an index of words that is missing", #"DROP TABLE "cabinet_search_Items.words""#, [.storage],
            naming: "cabinet_search_Items.words is missing"),
        Damage(
            "an index that is missing", #"DROP INDEX "cabinet_index_Items.number""#, [.storage],
            naming: "cabinet_index_Items.number is missing"),
        Damage(
            "an index that is missing which every table has", #"DROP INDEX "cabinet_change_Items""#, [.storage],
            naming: "cabinet_change_Items is missing"),
        Damage(
            "an index by zone that is missing", #"DROP INDEX "cabinet_zone_Items""#, [.storage],
            naming: "cabinet_zone_Items is missing"),
        Damage(
            "an index that is behind",
            #"""
            PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = sql || ' WHERE 0' WHERE name = 'cabinet_index_Items.number';
            -- reopen
            UPDATE "Items" SET number = 1000 WHERE "___recordID" = 'item5' AND "___zone" = 1;
            -- reopen
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, ' WHERE 0', '') WHERE name = 'cabinet_index_Items.number';
            """#, [.storage, .index], naming: "missing from index cabinet_index_Items.number"),
        Damage(
            "references in lists that are not found",
            "DELETE FROM cabinet_list_reference WHERE row = \(item)", [.storage, .referenceIndex],
            naming: "cabinet_list_reference"),
        Damage(
            "references in lists that no record has",
            "INSERT INTO cabinet_list_reference SELECT 'list3', zone, type, row, field, 2 FROM cabinet_list_reference "
                + "WHERE row = \(item) LIMIT 1", [.storage, .referenceIndex], naming: "cabinet_list_reference"),
        Damage(
            "a value of another type",
            #"UPDATE "Items" SET number = 'five' WHERE "___recordID" = 'item5' AND "___zone" = 1"#, [.unreadable],
            remaining: [.unreadable], naming: "column number"),
        Damage(
            "a system column that makes no sense",
            #"UPDATE "Items" SET "___createdBy" = x'00' WHERE "___recordID" = 'item5' AND "___zone" = 1"#,
            [.unreadable, .storage], remaining: [.unreadable, .storage], naming: "item5"),
        Damage(
            "a date that is none",
            #"UPDATE "Items" SET "___modTime" = 9e999 WHERE "___recordID" = 'item5' AND "___zone" = 1"#, [.record],
            remaining: [.record], naming: "infinite"),
        Damage(
            "an invalid location",
            #"UPDATE "Items" SET at = '{"latitude":500,"longitude":0}' WHERE "___recordID" = 'item5' AND "___zone" = 1"#,
            [.record, .storage], remaining: [.record], naming: "500"),
        Damage(
            "the last number is missing", "DELETE FROM cabinet_entry WHERE key = 'database'",
            [.sequenceNumber, .zone, .notification], naming: "0"),
        Damage(
            "the last number is too low", "UPDATE cabinet_entry SET value = '50' WHERE key = 'database'",
            [.sequenceNumber, .zone, .notification], naming: "50"),
        Damage(
            "the last number has no successor",
            "UPDATE cabinet_entry SET value = '\(Int64.max) 1 5 1 x' WHERE key = 'database'", [.sequenceNumber],
            naming: "\(Int64.max)"),
        Damage(
            "a deleted asset without a checksum", "INSERT INTO cabinet_abandoned_asset (checksum) VALUES (x'00')",
            [.storage], naming: "cabinet_abandoned_asset"),
        Damage(
            "a zone that is missing", "DELETE FROM cabinet_entry WHERE key = 'database/zone/__defaultOwner__/Work'",
            [.record],
            remaining: [.record], naming: "Work"),
        Damage(
            "a zone that is not listed",
            #"UPDATE "Items" SET "___zone" = 99 WHERE "___recordID" = 'item5' AND "___zone" = 1"#,
            [.storage, .unreadable], remaining: [.storage, .unreadable], naming: "cabinet_zone"),
        Damage(
            "a subscription that is none",
            "UPDATE cabinet_entry SET value = '{}' WHERE key GLOB 'subscriptionByTopic/*'",
            [.subscription], remaining: [.subscription], naming: "subscriptionByTopic/type/Items/_user/s"),
        Damage(
            "an entry that is not text",
            "UPDATE cabinet_entry SET value = x'ff' WHERE key GLOB 'subscriptionByTopic/*'",
            [.unreadable], remaining: [.unreadable], naming: "cabinet_entry"),
        Damage(
            "a notification of the future",
            """
            UPDATE cabinet_entry SET value = json_set(value, '$.sequenceNumber', 1000000000),
            key = 'notification/_user/0000000001000000000'
            WHERE key = (SELECT max(key) FROM cabinet_entry WHERE key GLOB 'notification/_user/0*')
            """, [.notification], remaining: [.notification], naming: "1000000000"),
        Damage(
            "a notification under another's number",
            """
            UPDATE cabinet_entry SET value = json_set(value, '$.sequenceNumber', 1000000000)
            WHERE key GLOB 'notification/_user/0*'
            """, [.notification], remaining: [.notification], naming: "cannot be read"),
        Damage(
            "a column that is missing", #"ALTER TABLE "Lists" RENAME TO "Gone""#, [.storage, .unreadable, .schema],
            remaining: [.storage, .unreadable, .schema], naming: "Lists"),
        Damage(
            "a field that the schema lacks", "DELETE FROM cabinet_field WHERE name = 'note'", [.schema, .storage],
            remaining: [.schema, .storage], naming: "column note"),
        Damage(
            "a record type that the schema lacks",
            """
            DELETE FROM cabinet_field WHERE recordType = (SELECT id FROM cabinet_record_type WHERE name = 'Lists');
            DELETE FROM cabinet_record_type WHERE name = 'Lists'
            """, [.schema, .storage], remaining: [.schema, .storage], naming: "table Lists"),
    ]

    /// The records of a store that is not damaged.
    private static let undamaged = Task {
        let store = try await DamagedStore.make()
        let contents = try await store.container().privateDatabase.contents()
        await store.backend.close()
        return contents
    }

    @Test func healthy() async throws {
        let store = try await DamagedStore.make()
        let report = try await store.container().verify()
        #expect(report.findings.map(\.description) == [])
        #expect(report.counts.records == 2 * 44 - 1, "\(report)")
        #expect(report.counts.subscriptions == 1)
        await store.backend.close()
    }

    @Test(arguments: damages)
    func isFoundAndRepaired(_ damage: Damage) async throws {
        let store = try await DamagedStore.make(damagedBy: damage.sql)
        let container = try store.container()
        let found = try await container.verify()
        #expect(Set(found.findings.map(\.kind)) == damage.kinds, "\(found)")
        #expect(found.findings.contains { $0.message.contains(damage.names) }, "\(found)")
        // A verification without repair changes nothing.
        #expect(try await container.verify() == found)

        let repaired = try await container.verify(repairing: true)
        #expect(Set(repaired.remaining.map(\.kind)) == damage.remaining, "\(repaired)")
        let again = try await container.verify()
        #expect(Set(again.findings.map(\.kind)) == damage.remaining, "\(again)")
        if damage.remaining.isEmpty {
            let database = container.privateDatabase
            let (ids, all) = (try await database.contents(), try await Self.undamaged.value)
            #expect(Set(ids).isSubset(of: all) && ids.count >= all.count - 1)
            let new = try await database.save(Record(recordType: "Items"))
            #expect(
                try await database.recordZoneChanges(inZoneWith: .default, since: nil).modificationResultsByID[
                    new.recordID] != nil)
            #expect(try await container.verify().isClean)
        }
        await store.backend.close()
    }

    /// A concurrent writer is never taken for damage.
    @Test func whileOthersWrite() async throws {
        let store = try await DamagedStore.make()
        let container = try store.container()
        let database = container.privateDatabase
        async let writing: Void = {
            for round in 0..<40 {
                let list = Record(recordType: "Lists", recordID: RecordID(recordName: "new\(round)"))
                var item = Record(recordType: "Items")
                item["name"] = "Item new \(round)"
                item["list"] = Reference(record: list, action: .deleteSelf)
                item["others"] = [Reference(record: list, action: .nullify)]
                item["at"] = Location(latitude: 1, longitude: Double(round))
                _ = try await database.modifyRecords(saving: [list, item], deleting: [])
                if round % 3 == 0 { try await database.deleteRecord(withID: list.recordID) }
            }
        }()
        for _ in 0..<3 { #expect(try await container.verify().findings.map(\.description) == []) }
        #expect(try await container.verify(repairing: true).findings.map(\.description) == [])
        try await writing
        await store.backend.close()
    }

    @Test(arguments: [0, 100, 20_000])
    func aFileThatIsNoDatabase(of size: Int) async throws {
        let store = try await DamagedStore.make()
        try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: store.privatePath))
        let report = try await store.container().verify(repairing: true)
        if size == 0 {
            #expect(report.isClean)
        } else {
            #expect(report.findings.map(\.kind) == [.unreadable])
            #expect(report.findings.first?.message.contains(store.privatePath) == true, "\(report)")
        }
        await store.backend.close()
    }

    /// Any wrong bytes lead to findings, and neither to a trap nor to an error; the rest stays.
    @Test(arguments: 0..<12)
    func damagedBytes(seed: Int) async throws {
        let store = try await DamagedStore.make(items: 60)
        var random = SeededGenerator(seed: UInt64(seed))
        var data = try Data(contentsOf: URL(fileURLWithPath: store.privatePath))
        // The first page has the structure of the file: without it nothing can be read, as another test checks.
        let pages = data.count / 4096
        for _ in 0..<3 {
            let page = Int.random(in: 1..<pages, using: &random)
            // Most of a page may be unused, but its first byte has the page's type.
            data[page * 4096] = ~data[page * 4096]
            for _ in 0..<40 {
                data[page * 4096 + Int.random(in: 0..<4096, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        }
        try data.write(to: URL(fileURLWithPath: store.privatePath))
        let container = try store.container()
        let report = try await container.verify()
        #expect(!report.isClean, "\(report)")
        _ = try await container.verify(repairing: true)
        await store.backend.close()
    }
}

extension Database {
    /// All records, by ID.
    fileprivate func contents() async throws -> [String] {
        var found: [String] = []
        for type in ["Items", "Lists"] {
            found += try await allRecords(matching: Query(recordType: type)).map { "\($0.recordID)" }
        }
        return found
    }
}
