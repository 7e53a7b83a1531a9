import Cabinet
import CabinetTools
import Testing

@testable import CabinetPostgres

/// Rows of zones and databases that do not exist are found.
@Suite struct StrayRowTests {
    /// The databases of a store are numbers 1 and 2.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: [String]
        /// The expected issues of the first database, and of the second one.
        let anna: Set<String>
        let ben: Set<String>
        let isRepairable: Bool

        init(
            _ description: String, _ sql: [String], anna: Set<String> = [], ben: Set<String> = [],
            isRepairable: Bool = false
        ) {
            testDescription = description
            self.sql = sql
            self.anna = anna
            self.ben = ben
            self.isRepairable = isRepairable
        }
    }

    private static func list(_ database: Int, zone: Int, _ name: String = "lost") -> String {
        """
        INSERT INTO "Lists" ("___database", "___etag", "___insertion", "___createTime", "___modTime", "___zone", \
        "___recordID", "___createdBy", "___modifiedBy") VALUES (\(database), 9, 9, 0, 0, \(zone), '\(name)', '_', '_')
        """
    }

    private static func use(_ database: Int, zone: Int) -> String {
        "INSERT INTO cabinet_asset_use VALUES (\(database), \(zone), 'lost', 'a')"
    }

    static let rows: [Row] = [
        Row(
            "records of a zone that does not exist, with an asset",
            [list(1, zone: 7), list(1, zone: 7, "other"), use(1, zone: 7), list(1, zone: -1)],
            anna: [
                "cabinet_zone lacks zone 7 of database 1, which has 2 rows in table Lists",
                "cabinet_zone lacks zone -1 of database 1, which has 1 row in table Lists",
            ]),
        Row(
            "a tombstone of a zone that does not exist",
            ["INSERT INTO cabinet_deletion VALUES (1, 8, 1, 'a', 'Lists', 0)"],
            anna: ["cabinet_zone lacks zone 8 of database 1, which has 1 row in cabinet_deletion"]),
        Row(
            "derived rows of a zone that does not exist",
            [use(1, zone: 7), "INSERT INTO cabinet_list_reference VALUES (1, 8, 'a', 'b', 'c', 0, 1)"],
            anna: [
                "cabinet_zone lacks zone 7 of database 1, which has 1 row in cabinet_asset_use",
                "cabinet_zone lacks zone 8 of database 1, which has 1 row in cabinet_list_reference",
            ], isRepairable: true),
        Row(
            "rows of databases before the first one and after the last one",
            [
                list(0, zone: 1), list(1000, zone: 1), use(1000, zone: 1),
                "INSERT INTO cabinet_zone VALUES (1000, 1, 'a', 'b')",
                "INSERT INTO cabinet_entry VALUES (1000, 'a', 'b')",
                "INSERT INTO cabinet_deletion VALUES (1000, 1, 1, 'a', 'Lists', 0)",
                "INSERT INTO cabinet_list_reference VALUES (1000, 1, 'a', 'b', 'c', 0, 1)",
                "INSERT INTO cabinet_asset VALUES (1000, 'a', 1, 'b')",
                "INSERT INTO cabinet_asset_part VALUES (1000, 'a', 0, 'b')",
                "INSERT INTO cabinet_upload VALUES (1000, 'a', 0)",
            ], anna: ["cabinet_state lacks database 0, which has 1 row in table Lists"],
            ben: Set(
                (Layout.distributed.dropFirst() + ["table Lists"])
                    .map { "cabinet_state lacks database 1000, which has 1 row in \($0)" })),
        Row(
            "a database without a name", ["DELETE FROM cabinet_database WHERE id = 1"],
            anna: ["cabinet_database lacks database 1, which is 'private/_anna' in cabinet_state"],
            ben: ["cabinet_database lacks database 1, which is 'private/_anna' in cabinet_state"]),
    ]

    @Test("Rows that no transaction can reach are counted, and no record is deleted", arguments: rows)
    func stray(_ row: Row) async throws {
        let store = try await DamagedStore()
        try await store.run(row.sql)
        let before = try await store.texts(#"SELECT "___recordID" FROM "Lists" ORDER BY 1"#)
        let (anna, ben) = (try await store.issues(of: "_anna"), try await store.issues(of: "_ben"))
        #expect(Set(store.texts(anna)) == row.anna)
        #expect(Set(store.texts(ben)) == row.ben)
        #expect(anna.count + ben.count == row.anna.count + row.ben.count)
        #expect((anna + ben).allSatisfy { $0.kind == .storage && $0.isRepairable == row.isRepairable })

        let other = try await Stores.backend(store.configuration)
        let report = try await store.container("_anna", other).verify(repairing: true)
        #expect(Set(anna + ben).isSubset(of: report.findings.map(\.issue)), "\(report)")
        for finding in report.findings where (anna + ben).contains(finding.issue) {
            #expect(finding.isRepaired == row.isRepairable, "\(finding)")
        }
        #expect(try await store.issues(of: "_anna").isEmpty == (row.isRepairable || row.anna.isEmpty))
        #expect(try await store.texts(#"SELECT "___recordID" FROM "Lists" ORDER BY 1"#) == before)
        await other.close()
        await store.backend.close()
    }

    @Test("The rows of a database that has lost its state are counted by the next one")
    func lostState() async throws {
        let store = try await DamagedStore()
        try await store.run(["DELETE FROM cabinet_state WHERE database = 1"])
        #expect(
            Set(store.texts(try await store.issues())).isSuperset(of: [
                "cabinet_state lacks database 1, which has 2 rows in table Items",
                "cabinet_state lacks database 1, which has 1 row in table Lists",
                "cabinet_state lacks database 1, which has 1 row in cabinet_deletion",
            ]))
        #expect(try await store.issues(of: "_anna") == [])
        await store.backend.close()
    }
}
