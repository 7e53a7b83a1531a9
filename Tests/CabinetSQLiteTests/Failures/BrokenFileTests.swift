import Cabinet
import CabinetTesting
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// For any content of a file, the result is an error that names it.
@Suite struct BrokenFileTests {
    private let id = RecordID(recordName: "r")

    /// Reads and writes, and checks that both fail with a code, and name the file.
    private func expectFailure(
        _ code: CabinetError.Code, _ store: Store, naming path: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await expect(code, store, naming: path, sourceLocation) { _ = try await store.record(id) }
        await expect(code, store, naming: path, sourceLocation) {
            try await store.insert([StoredRecord("n", [("a", .int64(1))])])
        }
    }

    private func expect(
        _ code: CabinetError.Code, _ store: Store, naming path: String? = nil,
        _ sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("no error", sourceLocation: sourceLocation)
        } catch let error as CabinetError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            #expect(error.message.contains(path ?? store.path), "\(error)", sourceLocation: sourceLocation)
        } catch {
            Issue.record("another error: \(error)", sourceLocation: sourceLocation)
        }
    }

    @Test("A URL that is not a folder's is refused, without its password")
    func otherURL() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/cabinet-\(UUID().uuidString)"
        let url = try #require(URL(string: "https://ann:secret@example.com" + path))
        let store = Store(in: url)
        await expectFailure(.badContainer, store, naming: "'https'")
        await #expect { try await store.create() } throws: { !"\($0)".contains("secret") }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// A store with some records in a closed file.
    private func closedStore(records: Int = 500) async throws -> Store {
        let first = Store()
        try await first.insert(
            (0..<records).map {
                StoredRecord(
                    "r\($0)", [("a", .int64(Int64($0))), ("b", .string("text \($0)")), ("list", .list(.int64([1])))])
            }
                + [
                    StoredRecord(
                        "r",
                        [
                            ("a", .int64(1)), ("b", .string("x")), ("c", .reference(Reference("r0"))),
                            ("d", .location(Location(latitude: 1, longitude: 1))),
                        ])
                ])
        await first.backend.close()
        let copy = Store()
        try FileManager.default.createDirectory(at: copy.directory, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: first.path, toPath: copy.path)
        return copy
    }

    @Test func aFileThatIsNoDatabase() async throws {
        let store = Store()
        try FileManager.default.createDirectory(at: store.directory, withIntermediateDirectories: true)
        try Data(repeating: UInt8(ascii: "x"), count: 10_000).write(to: URL(fileURLWithPath: store.path))
        await expectFailure(.internalError, store)
    }

    @Test func aDirectoryInsteadOfTheFile() async throws {
        let store = Store()
        try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: true)
        await expectFailure(.badContainer, store)
    }

    @Test func aFileInsteadOfTheDirectory() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        try Data("x".utf8).write(to: directory)
        let store = Store(in: directory)
        await expectFailure(.badContainer, store)
        let inner = Store(in: directory.appendingPathComponent("inner"))
        await expect(.badContainer, inner, naming: inner.directory.path) { try await inner.insert([StoredRecord("r")]) }
    }

    @Test func aMissingFileWhoseLogHasChanges() async throws {
        let store = Store()
        try await store.insert([StoredRecord("a")])
        let (path, moved) = (store.path, store.path + ".moved")
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        #expect(!log.isEmpty)
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        // As after the end of a process that was killed.
        let other = Store(in: store.directory)
        await expect(.badContainer, other, naming: path + "-wal") { try await other.insert([StoredRecord("b")]) }
        await expect(.badContainer, other, naming: path + "-wal") { _ = try await other.record(id) }
        // Verifications and backups meet the database too.
        #expect(try await other.backend.databases() == [.public])
        await expect(.badContainer, other, naming: path + "-wal") {
            _ = try await other.backend.issues(in: .public, limit: 1)
        }
        await expect(.badContainer, other, naming: path + "-wal") {
            try await other.backend.backUp(to: other.directory.appendingPathExtension("copy"))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
        try FileManager.default.moveItem(atPath: moved, toPath: path)
        #expect(try await other.record(RecordID(recordName: "a")) != nil)
    }

    @Test func theDatabaseOfAnotherProgram() async throws {
        let store = Store()
        try FileManager.default.createDirectory(at: store.directory, withIntermediateDirectories: true)
        let handle = try DatabaseHandle(path: store.path, creates: true)
        try handle.execute("CREATE TABLE notes (text)")
        await expectFailure(.badContainer, store)
        try handle.execute("PRAGMA application_id = 7")
        await expectFailure(.badContainer, store)
    }

    @Test(arguments: [Layout.version + 1, Layout.oldestVersion - 1, 1])
    func anotherLayout(version: Int64) async throws {
        let store = try await closedStore()
        try store.sql("PRAGMA user_version = \(version)")
        await expectFailure(.incompatibleVersion, store)
        let advice = version > Layout.version ? "or a newer one" : "A development version wrote it"
        await #expect { _ = try await store.record(id) } throws: { "\($0)".contains(advice) }
    }

    @Test func aTruncatedFile() async throws {
        let store = try await closedStore()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
        try handle.truncate(atOffset: 3 * 4096)
        try handle.close()
        await expectFailure(.internalError, store)
    }

    @Test func anEmptyFileIsAnEmptyStore() async throws {
        let store = Store()
        try FileManager.default.createDirectory(at: store.directory, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: store.path))
        #expect(try await store.record(id) == nil)
        try await store.insert([StoredRecord("r")])
        #expect(try await store.record(id) != nil)
    }

    /// For any wrong bytes, nothing traps and nothing hangs.
    ///
    /// Reads may return wrong values, because no checksum protects them.
    @Test(arguments: 0..<60)
    func damagedBytes(seed: Int) async throws {
        let store = try await closedStore(records: 100)
        var random = SeededGenerator(seed: UInt64(seed))
        var data = try Data(contentsOf: URL(fileURLWithPath: store.path))
        for _ in 0..<Int.random(in: 1...200, using: &random) {
            let start = seed < 30 ? 0 : 100
            data[Int.random(in: start..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        try data.write(to: URL(fileURLWithPath: store.path))
        let id = id
        let plan = try QueryPlan(
            recordType: "Items", filter: .constant(true), order: [Sort("b")], fields: ["a": .int64, "b": .string])
        func attempt(_ body: () async throws -> Void) async {
            do { try await body() } catch { #expect(error is CabinetError) }
        }
        await attempt { _ = try await store.record(id) }
        await attempt { _ = try await store.backend.read(.public) { try await $0.records(matching: plan) } }
        await attempt {
            _ = try await store.backend.read(.public) { try await $0.references(to: [RecordID(recordName: "r0")]) }
        }
        await attempt { try await store.insert([StoredRecord("new", [("a", .int64(1)), ("z", .string("z"))])]) }
        await attempt {
            try await store.backend.write(.public) {
                try await $0.remove([id], firstSequenceNumber: 1_000, date: Date())
            }
        }
        await store.backend.close()
    }

    @Test(arguments: [
        ("UPDATE Items SET ___etag = 'x' WHERE ___recordID = 'r'", "___etag"),
        ("UPDATE Items SET ___createdBy = x'00' WHERE ___recordID = 'r'", "___createdBy"),
        ("UPDATE Items SET ___modTime = 'soon' WHERE ___recordID = 'r'", "___modTime"),
        ("UPDATE Items SET a = 'one' WHERE ___recordID = 'r'", "column a"),
        ("UPDATE Items SET a = 1.5 WHERE ___recordID = 'r'", "column a"),
        ("UPDATE Items SET b = CAST(x'ff' AS TEXT) WHERE ___recordID = 'r'", "column b"),
        ("UPDATE Items SET b = x'00' WHERE ___recordID = 'r'", "column b"),
        ("UPDATE Items SET list = '[1' WHERE ___recordID = 'r'", "column list"),
        ("UPDATE Items SET list = '[\"x\"]' WHERE ___recordID = 'r'", "column list"),
        ("UPDATE Items SET \"c.action\" = 9 WHERE ___recordID = 'r'", "column c"),
        ("UPDATE Items SET \"c.action\" = NULL WHERE ___recordID = 'r'", "column c"),
        ("UPDATE Items SET d = 'here' WHERE ___recordID = 'r'", "column d"),
        ("DELETE FROM Items WHERE ___recordID = 'r'", "table Items"),
        ("UPDATE cabinet_record SET type = 77 WHERE recordName = 'r'", "record type 77"),
        ("UPDATE cabinet_field SET type = 'NUMBER' WHERE name = 'a'", "cabinet_field"),
        ("DROP TABLE Items", "Items"),
        ("ALTER TABLE Items DROP COLUMN a", "a"),
        ("DROP TABLE cabinet_field", "cabinet_field"),
        ("DROP TABLE cabinet_record", "cabinet_record"),
    ])
    func aFileChangedByHand(change: String, name: String) async throws {
        let store = try await closedStore()
        try store.sql(change)
        await expect(.internalError, store) {
            do {
                _ = try await store.record(id)
            } catch let error as CabinetError {
                #expect(error.message.contains(name), "\(error)")
                throw error
            }
        }
        await store.backend.close()
    }

    /// With a wrong last number, a change tag would be assigned twice, and a conflict would be missed.
    @Test(arguments: ["'x'", "''", "'-1'", "'\(Int64.max) 1 5 1 abc'", "x'00'"])
    func theLastSequenceNumberIsDamaged(value: String) async throws {
        let store = try await closedStore()
        try store.sql("UPDATE cabinet_entry SET value = \(value) WHERE key = 'database'")
        let database = try Container(identifier: "org.cabinet.broken", backend: store.backend).publicDatabase
        let error = await #expect(throws: CabinetError.self) {
            try await database.save(Record(recordType: "Items"))
        }
        #expect(error?.code == .internalError)
        #expect(
            error?.message.contains(value.hasPrefix("x") ? "cabinet_entry" : "'database'") == true,
            "\(String(describing: error))")
        #expect(try await store.record(id) != nil)
        await store.backend.close()
    }

    @Test(arguments: [true, false])
    func aFileThatIsTakenAwayWhileOpen(isDeleted: Bool) async throws {
        let store = Store()
        try await store.insert([StoredRecord("r")])
        #expect(try await store.record(id) != nil)
        let other = store.directory.appendingPathComponent("elsewhere")
        try FileManager.default.moveItem(at: URL(fileURLWithPath: store.path), to: other)
        if isDeleted { try FileManager.default.removeItem(at: other) }
        // A write that begins within a millisecond of the last one notices it after its commit.
        try await Task.sleep(for: .milliseconds(2))
        await expect(.badContainer, store) { try await store.insert([StoredRecord("s")]) }
        await expectFailure(.badContainer, store)
        #expect(!store.exists)
        if !isDeleted {
            try FileManager.default.moveItem(at: other, to: URL(fileURLWithPath: store.path))
            try await store.insert([StoredRecord("s")])
            #expect(try await store.record(id) != nil)
        }
    }

    /// A connection that is opened after the loss would find no database, or another one.
    @Test(arguments: [true, false], [true, false])
    func aFileThatIsTakenAwayBeforeAnotherConnection(isWritten: Bool, isReplaced: Bool) async throws {
        let store = Store()
        /// Saves as another process does.
        func saveElsewhere(_ name: String) async throws {
            let other = SQLiteBackend(directory: store.directory)
            _ = try await other.write(.public) { try await $0.insertWithSchema([StoredRecord(name)]) }
            await other.close()
        }
        if isWritten {
            try await store.insert([StoredRecord("r")])
        } else {
            try await saveElsewhere("r")
            #expect(try await store.record(id) != nil)
        }
        try FileManager.default.removeItem(at: store.directory)
        if isReplaced { try await saveElsewhere("other") }
        await expect(.badContainer, store) { _ = try await store.record(id) }
        await expect(.badContainer, store) { try await store.insert([StoredRecord("s")]) }
        #expect(store.exists == isReplaced)
    }

    /// A write returns only if its file is still at its path after the commit.
    @Test func aFileThatIsTakenAwayDuringAWrite() async throws {
        let store = Store()
        let elsewhere = store.directory.appendingPathComponent("elsewhere").path
        let write = { @Sendable (name: String) async throws -> Void in
            try await store.backend.write(.public) { transaction in
                _ = try await transaction.insertWithSchema([StoredRecord(name)])
                // The second write finds no file.
                try? FileManager.default.moveItem(atPath: store.path, toPath: elsewhere)
            }
        }
        try await store.create()
        await expect(.badContainer, store) { try await write("alone") }
        try FileManager.default.moveItem(atPath: elsewhere, toPath: store.path)

        let file = try #require(store.backend.files.openFile(.public))
        let runs = file.writer.statistics.runs
        let gate = HeldGate()
        async let holder: Void = store.backend.write(.public) { _ in await gate.wait() }
        await gate.whenReached()
        async let first: Void = expect(.badContainer, store) { try await write("a") }
        async let second: Void = expect(.badContainer, store) { try await write("b") }
        while file.waitingWrites != 2 { await Task.yield() }
        gate.open()
        try await holder
        _ = await (first, second)
        // The transaction was committed, so that its writes must not run again.
        #expect(file.writer.statistics.runs == runs + 3)
    }

    /// The lock of another process delays a write, whose file may then be replaced.
    @Test func aFileThatIsTakenAwayWhileAWriteWaits() async throws {
        let store = Store()
        try await store.create()
        let other = try DatabaseHandle(path: store.path, creates: false)
        try other.execute("BEGIN IMMEDIATE")
        async let write: Void = expect(.badContainer, store) { try await store.insert([StoredRecord("r")]) }
        // Whether the write waits already or begins later makes no difference.
        try await Task.sleep(for: .milliseconds(20))
        let elsewhere = store.directory.appendingPathComponent("elsewhere").path
        try FileManager.default.moveItem(atPath: store.path, toPath: elsewhere)
        try await Task.sleep(for: .milliseconds(2))
        try other.execute("COMMIT")
        await write
        try FileManager.default.moveItem(atPath: elsewhere, toPath: store.path)
        #expect(try await store.record(id) == nil)
    }

    /// The file of a deleted asset is removed even if another program has added rows to the table of such files.
    @Test(.timeLimit(.minutes(15))) func deletedAssetsWithoutAChecksum() async throws {
        let first = Store()
        let asset = try await first.add(StoredAsset(1, size: 1), of: Data([1]), to: ["r"])
        await first.backend.close()
        try first.sql("INSERT INTO cabinet_abandoned_asset (checksum) VALUES (x'00'), ('none')")
        let store = Store(in: first.directory)
        #expect(try await store.backend.issues(in: .public, limit: 10).map(\.isRepairable) == [true])
        try await store.remove(["r"], having: [asset])
        await store.backend.close()
        #expect(try store.sql("SELECT count(*) FROM cabinet_abandoned_asset") == [["0"]])
        #expect(AssetFile.status(store.file(asset).path) == nil)
    }
}
