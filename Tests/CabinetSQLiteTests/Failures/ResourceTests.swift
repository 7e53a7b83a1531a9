import CSQLite
import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// A full disk, another writer, too much of something.
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

    /// Of writes that were to be committed together, only those fail that have no room.
    @Test func aFullStoreFailsOnlyTheWritesThatMustFail() async throws {
        var configuration = SQLiteConfiguration()
        configuration.maximumPageCount = 60
        let store = Store(configuration)
        try await store.insert([StoredRecord("first", [("text", .string("small"))])])
        let gate = Gate()
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
        // Reads do not mind.
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
    }
}
