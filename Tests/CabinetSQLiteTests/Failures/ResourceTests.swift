import CSQLite
import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// A full disk, another writer, or too many resources.
@Suite struct ResourceTests {
    @Test func aFullStoreRefusesAndKeepsWhatItHas() async throws {
        var configuration = SQLiteConfiguration()
        configuration.maximumPageCount = 60
        let store = Store(configuration)
        try await store.insert([StoredRecord("first", [("text", .string("small"))])])
        let big = StoredRecord("big", [("text", .string(String(repeating: "x", count: 1 << 20)))])
        await #expect {
            try await store.insert([big])
        } throws: { error in
            CabinetError.Code.quotaExceeded ~= error && "\(error)".contains(store.path)
        }
        #expect(try await store.record(RecordID(recordName: "first")) != nil)
        try await store.insert([StoredRecord("second", [("text", .string("small"))])])
    }

    /// An index without enough disk space is omitted, and requests work without it.
    @Test(arguments: [StoredIndex.queryable("text"), .sortable("text"), .searchable("text"), .compound(["text", "n"])])
    func aFullStoreBuildsNoIndex(_ index: StoredIndex) async throws {
        var configuration = SQLiteConfiguration()
        configuration.maximumPageCount = 66
        let store = Store(configuration)
        // Different words, so that an index takes as much space as the records. The disk has space for one and a half
        // of them.
        let records = (0..<30).map { number in
            let text = (0..<400).map { "w\(number)x\($0)" }.joined(separator: " ")
            return StoredRecord("r\(number)", [("text", .string(text)), ("n", .int64(Int64(number)))])
        }
        try await store.insert(records)
        let before = try await store.backend.read(.public) { try await $0.schema() }
        await #expect {
            try await store.backend.write(.public) { try await $0.setIndexes([.queryable("n"), index], of: "Items") }
        } throws: { error in
            CabinetError.Code.quotaExceeded ~= error && "\(error)".contains(store.path)
        }
        func names(_ backend: SQLiteBackend) async throws -> [String] {
            try await backend.read(.public) { snapshot in
                let plan = try QueryPlan(
                    recordType: "Items", filter: .field("text") >= "w3", order: [Sort("text")],
                    fields: FieldTypes(["text": .string, "n": .int64]))
                return try await snapshot.records(matching: plan).map(\.recordID.recordName)
            }
        }
        let tables = "SELECT name FROM sqlite_schema ORDER BY name"
        let reopened = Store(in: store.directory)
        for backend in [store.backend, reopened.backend] {
            #expect(try await backend.read(.public) { try await $0.schema() } == before)
            let found = try await names(backend)
            #expect(found == ["r3", "r4", "r5", "r6", "r7", "r8", "r9"])
        }
        let known = try store.sql(tables)
        try await store.insert([StoredRecord("after", [("text", .string("small"))])])
        // With enough space, the index is created.
        try await reopened.backend.write(.public) { try await $0.setIndexes([.queryable("n"), index], of: "Items") }
        let indexes = try await reopened.backend.read(.public) { try await $0.schema().indexes["Items"] }
        #expect(indexes == [.queryable("n"), index])
        #expect(try store.sql(tables).count > known.count)
        #expect(try await names(reopened.backend) == ["r3", "r4", "r5", "r6", "r7", "r8", "r9"])
    }

    /// Of writes that share a commit, only those without enough space fail.
    @Test func aFullStoreFailsOnlyTheWritesThatMustFail() async throws {
        var configuration = SQLiteConfiguration()
        configuration.maximumPageCount = 60
        let store = Store(configuration)
        try await store.insert([StoredRecord("first", [("text", .string("small"))])])
        let gate = HeldGate()
        let results = try await withThrowingTaskGroup(of: (Int, CabinetError.Code?).self) { group in
            group.addTask {
                try await store.backend.write(.public) { _ in await gate.wait() }
                return (-1, nil)
            }
            await gate.whenReached()
            for number in 0..<10 {
                group.addTask {
                    let text = String(repeating: "x", count: number == 5 ? 1 << 20 : 10)
                    do {
                        try await store.insert([StoredRecord("r\(number)", [("text", .string(text))])])
                        return (number, nil)
                    } catch let error as CabinetError {
                        return (number, error.code)
                    }
                }
            }
            while store.backend.files.openFile(.public)?.waitingWrites != 10 { await Task.yield() }
            gate.open()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(results.compactMapValues { $0 } == [5: .quotaExceeded])
        #expect(try store.sql("SELECT count(*) FROM Items") == [["10"]])
    }

    @Test func anotherWriterHoldsTheFile() async throws {
        let store = Store(SQLiteConfiguration(busyTimeout: .milliseconds(50)))
        try await store.insert([StoredRecord("r")])
        let other = try DatabaseHandle(path: store.path, creates: false)
        try other.execute("BEGIN IMMEDIATE")
        await #expect {
            try await store.insert([StoredRecord("s")])
        } throws: { error in
            let error = error as? CabinetError
            return error?.code == .zoneBusy && (error?.retryAfterSeconds ?? 0) > 0
                && error?.message.contains(store.path) == true
        }
        // Reads are not affected.
        #expect(try await store.record(RecordID(recordName: "r")) != nil)
        try other.execute("COMMIT")
        try await store.insert([StoredRecord("s")])
    }

    @Test func tooManyFields() async throws {
        let store = Store()
        let fields = (0..<1992).map { StoredField(name: "f\($0)", type: .int64) }
        await #expect {
            try await store.backend.write(.public) { try await $0.add(fields, to: "Items") }
        } throws: { CabinetError.Code.limitExceeded ~= $0 }
        #expect(try await store.backend.read(.public) { try await $0.schema() } == StoredSchema())
        try await store.backend.write(.public) { try await $0.add(Array(fields.prefix(1991)), to: "Items") }
        let record = try await store.insert([StoredRecord("r", fields.prefix(1991).map { ($0.name, .int64(1)) })])[0]
        #expect(try await store.record(record.recordID) == record)
    }

    @Test func aNameThatNoFileSystemTakes() async throws {
        let store = Store()
        let owner = String(repeating: "x", count: 300)
        await #expect { try await store.record(RecordID(), in: .private(owner: owner)) } throws: {
            CabinetError.Code.invalidArguments ~= $0
        }
    }

    private static let codes: [(code: Int32, systemError: Int32, expected: CabinetError.Code)] = [
        (SQLITE_BUSY, 0, .zoneBusy),
        (SQLITE_LOCKED, 0, .zoneBusy),
        (SQLITE_FULL, 0, .quotaExceeded),
        (SQLITE_READONLY, 0, .permissionFailure),
        (0x408, 0, .badContainer),
        (SQLITE_PERM, 0, .permissionFailure),
        (SQLITE_CANTOPEN, EACCES, .permissionFailure),
        (SQLITE_CANTOPEN, ENOENT, .badContainer),
        (SQLITE_CANTOPEN, ENOSPC, .quotaExceeded),
        (SQLITE_CANTOPEN, EMFILE, .serviceUnavailable),
        (0x30A, ENOSPC, .quotaExceeded),
        (0x30A, EFBIG, .quotaExceeded),
        (0x10A, EIO, .internalError),
        (SQLITE_CORRUPT, 0, .internalError),
        (SQLITE_NOTADB, 0, .internalError),
        (SQLITE_TOOBIG, 0, .limitExceeded),
        (SQLITE_NOMEM, 0, .serviceUnavailable),
        (SQLITE_ERROR, 0, .internalError),
        (SQLITE_CONSTRAINT, 0, .internalError),
    ]

    @Test(arguments: codes)
    func resultCodes(code: Int32, systemError: Int32, expected: CabinetError.Code) {
        let failure = SQLiteFailure(
            code: code, message: "SQLite's words", path: "/store/public.sqlite", systemError: systemError,
            statement: "SELECT 1")
        #expect(failure.error.code == expected)
        #expect(failure.error.message.contains("/store/public.sqlite"))
        #expect(expected == .badContainer || failure.error.message.contains("SQLite's words"))
        #expect(expected != .serviceUnavailable || failure.error.retryAfterSeconds == 1)
    }
}
