import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Several processes on one directory, and processes that die.
@Suite struct ProcessTests {
    private func temporaryDirectory() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)", isDirectory: true)
    }

    private func database(in directory: URL) throws -> (SQLiteBackend, Database) {
        let backend = SQLiteBackend(directory: directory)
        return (backend, try Container(identifier: "org.cabinet.saving-process", backend: backend).privateDatabase)
    }

    private func lines(_ data: Data) -> [String] {
        // An incomplete line was not printed: the process died before.
        data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func twoProcessesSaveAtTheSameTime() async throws {
        let directory = temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let processes = try ["a", "b"].map { try SavingProcess([directory.path, $0, "1000"]) }
        for process in processes {
            let (output, errors, status) = process.finish()
            #expect(status == 0, "\(errors)")
            #expect(lines(output).count == 1000)
        }
        let (backend, database) = try database(in: directory)
        let all = try await database.allRecords(matching: Query(recordType: "Items"))
        #expect(Set(all.map(\.recordID.recordName)) == Set((0..<1000).flatMap { ["a-\($0)", "b-\($0)"] }))
        #expect(Set(all.compactMap(\.recordChangeTag)).count == 2000)
        await backend.close()
    }

    /// A save that waits for another process is not reported if its file was taken away.
    @Test(arguments: [true, false]) func aStoreThatIsTakenAwayWhileASaveWaits(isDeleted: Bool) throws {
        let directory = temporaryDirectory()
        let moved = directory.appendingPathExtension("moved")
        defer { for url in [directory, moved] { try? FileManager.default.removeItem(at: url) } }
        let saving = try SavingProcess([directory.path, "a", "forever"])
        var printed = saving.availableOutput()
        let path = directory.appendingPathComponent("private-_default_user.sqlite").path
        let lock = try DatabaseHandle(path: path, creates: false)
        try lock.execute("PRAGMA busy_timeout = 30000; BEGIN IMMEDIATE")
        let search = try Statement("SELECT count(*) FROM Items", on: lock)
        let count = try search.firstNumber() ?? 0
        if isDeleted {
            try FileManager.default.removeItem(at: directory)
        } else {
            try FileManager.default.moveItem(at: directory, to: moved)
        }
        try lock.execute("COMMIT")
        let (rest, errors, status) = saving.finish()
        printed += rest
        #expect(lines(printed).count <= count)
        #expect(status == 1 && errors.contains("badContainer"), "\(errors)")
    }

    @Test(arguments: ["single", "batches", "schema", "indexes"], 0..<2)
    func whatWasSavedSurvivesAKill(mode: String, round: Int) async throws {
        let directory = temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let processes = try ["a", "b"].map { try SavingProcess([directory.path, $0, "forever", mode]) }
        var printed = Data()
        while lines(printed).count < 20 + 90 * round {
            let data = processes[0].availableOutput()
            if data.isEmpty { break }
            printed += data
        }
        for process in processes { process.kill() }
        printed += processes[0].finish().output
        if printed.last != UInt8(ascii: "\n") {
            printed = printed.prefix(upTo: (printed.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
        }
        let names = lines(printed) + lines(processes[1].finish().output)
        #expect(names.count >= 20)

        let store = Store(in: directory)
        let path = directory.appendingPathComponent("private-_default_user.sqlite").path
        #expect(try store.sql("PRAGMA integrity_check", path: path) == [["ok"]])
        // No part of a save that did not return exists.
        for row in try store.sql("SELECT id, tableName FROM cabinet_record_type", path: path) {
            let (id, table) = try (#require(row[0]), #require(row[1]))
            #expect(
                try store.sql(
                    """
                    SELECT count(*) FROM (SELECT ___recordID, ___insertion FROM "\(table)" EXCEPT
                        SELECT recordName, row FROM cabinet_record WHERE type = \(id)) UNION ALL
                    SELECT count(*) FROM (SELECT recordName, row FROM cabinet_record WHERE type = \(id) EXCEPT
                        SELECT ___recordID, ___insertion FROM "\(table)")
                    """, path: path) == [["0"], ["0"]])
        }
        if mode == "batches" {
            let sizes = """
                SELECT DISTINCT count(*) FROM Items GROUP BY substr(___recordID, 1, 1), number / 10
                """
            #expect(try Set(store.sql(sizes, path: path)).isSubset(of: [["9"], ["10"]]))
        }
        if mode == "indexes" { try checkIndexes(store, path: path) }
        let (backend, database) = try database(in: directory)
        for (id, result) in try await database.records(for: names.map { RecordID(recordName: $0) }) {
            #expect(throws: Never.self, "\(id)") { try result.get() }
        }
        _ = try await database.save(Record(recordType: "Items"))
        await backend.close()
    }

    /// Both record types have the indexes of the same schema, and the index of words has every record.
    private func checkIndexes(_ store: Store, path: String) throws {
        let catalog = try store.sql("SELECT recordType, kind, fields FROM cabinet_index", path: path)
        let byType = Dictionary(grouping: catalog, by: \.first).mapValues { Set($0.map { Array($0.dropFirst()) }) }
        #expect(byType.count == 2 && Set(byType.values).count == 1)
        let isSearched = catalog.contains { $0[1] == "SEARCHABLE" }
        let names = try store.sql("SELECT name FROM sqlite_master WHERE rootpage = 0 ORDER BY name", path: path)
        #expect(names == (isSearched ? [["cabinet_search_Items.words"], ["cabinet_search_Others.words"]] : []))
        let trees = try store.sql(
            "SELECT name FROM sqlite_master WHERE name LIKE 'cabinet_index_Items.%' ORDER BY name", path: path)
        #expect(
            trees.map { $0[0]?.split(separator: ".").last.map(String.init) }
                == (isSearched ? ["name", "name,number"] : ["name", "number", "number,name"]))
        if isSearched {
            #expect(
                try store.sql(
                    """
                    SELECT count(*) FROM (SELECT rowid FROM "cabinet_search_Items.words" EXCEPT SELECT ___insertion FROM Items)
                    UNION ALL
                    SELECT count(*) FROM (SELECT ___insertion FROM Items EXCEPT SELECT rowid FROM "cabinet_search_Items.words")
                    """, path: path) == [["0"], ["0"]])
        }
    }

    /// The system's administrator may do everything, so another user has to try.
    private var user: Int? { geteuid() == 0 ? 65534 : nil }

    /// A store with one record, closed, in a directory that every user may read.
    private func closedStore() async throws -> (directory: URL, file: URL) {
        let directory = temporaryDirectory()
        let (backend, database) = try database(in: directory)
        _ = try await database.save(Record(recordType: "Items"))
        await backend.close()
        return (directory, directory.appendingPathComponent("private-_default_user.sqlite"))
    }

    private func setPermissions(_ permissions: Int, of url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }

    /// A directory and a file that may be read but not written.
    @Test func aReadOnlyStoreIsReported() async throws {
        let (directory, file) = try await closedStore()
        try setPermissions(0o444, of: file)
        try setPermissions(0o555, of: directory)
        defer {
            try? setPermissions(0o755, of: directory)
            try? FileManager.default.removeItem(at: directory)
        }
        let (_, errors, status) = try SavingProcess([directory.path, "a", "1"], as: user).finish()
        #expect(status == 1, "\(errors)")
        #expect(errors.contains("permissionFailure"), "\(errors)")
        #expect(errors.contains(file.path), "\(errors)")
    }

    /// An unreadable directory is not empty.
    @Test func anUnreadableDirectoryIsReported() async throws {
        let (directory, file) = try await closedStore()
        try setPermissions(0o000, of: directory)
        defer {
            try? setPermissions(0o755, of: directory)
            try? FileManager.default.removeItem(at: directory)
        }
        let (_, errors, status) = try SavingProcess([directory.path, "a", "0"], as: user).finish()
        #expect(status == 1, "\(errors)")
        #expect(errors.contains("permissionFailure"), "\(errors)")
        #expect(errors.contains(file.path), "\(errors)")
    }
}
