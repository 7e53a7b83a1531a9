import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Work runs on the connections' threads, and each call hops there once.
@Suite struct ThreadTests {
    @Test func aReadHopsOnce() async throws {
        let store = Store(SQLiteConfiguration(maximumReaders: 1))
        try await store.insert([StoredRecord("r", [("a", .int64(1))])])
        _ = try await store.record(RecordID(recordName: "r"))
        let executor = try #require(store.backend.files.openFile(.public)?.readers.all.first?.executor)
        let before = executor.jobCount
        try await store.backend.read(.public) { snapshot in
            #expect(executor.isCurrent)
            for _ in 0..<5 {
                _ = try await snapshot.records(for: [RecordID(recordName: "r")], keys: nil)
                #expect(executor.isCurrent)
                _ = try await snapshot.schema()
                _ = try await snapshot.references(to: [RecordID(recordName: "r")])
            }
            #expect(executor.isCurrent)
        }
        #expect(executor.jobCount - before == 1)
    }

    @Test func aWriteHopsOnce() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r", [("a", .int64(1))])])
        let executor = try #require(store.backend.files.openFile(.public)?.writer.executor)
        let before = executor.jobCount
        try await store.backend.write(.public) { transaction in
            #expect(executor.isCurrent)
            _ = try await transaction.insertWithSchema((0..<10).map { StoredRecord("s\($0)", [("a", .int64(1))]) })
            #expect(executor.isCurrent)
        }
        #expect(executor.jobCount - before == 1)
    }

    @Test @MainActor func theMainThreadIsNotUsed() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r")])
        try await store.backend.read(.public) { _ in #expect(!isMainThread) }
        try await store.backend.write(.public) { _ in #expect(!isMainThread) }
    }

    @Test func aSnapshotIsNotValidAfterwards() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r")])
        let snapshot = try await store.backend.read(.public) { $0 }
        let transaction = try await store.backend.write(.public) { $0 }
        for leftover in [snapshot, transaction as any StorageSnapshot] {
            await #expect { try await leftover.records(for: [RecordID(recordName: "r")], keys: nil) } throws: {
                CabinetError.Code.internalError ~= $0
            }
        }
        await #expect(throws: CabinetError.self) {
            try await transaction.remove([RecordID(recordName: "r")], firstSequenceNumber: 1_000, date: Date())
        }
        #expect(try await store.record(RecordID(recordName: "r")) != nil)
    }

    /// A task that the body starts without waiting for it may use the snapshot at the same time as the body.
    @Test func othersMayUseASnapshotAtTheSameTime() async throws {
        let store = Store()
        try await store.insert((0..<50).map { StoredRecord("r\($0)", [("a", .int64($0))]) })
        let sums = try await store.backend.read(.public) { snapshot in
            let tasks = (0..<8).map { _ in
                Task {
                    var sum: Int64 = 0
                    for number in 0..<50 {
                        let record = try await snapshot.records(for: [RecordID(recordName: "r\(number)")], keys: nil)[0]
                        if case .int64(let value)? = record?.fields["a"] { sum += value }
                    }
                    return sum
                }
            }
            var sums: [Int64] = []
            for task in tasks { sums.append(try await task.value) }
            return sums
        }
        #expect(sums == Array(repeating: 1225, count: 8))
    }
}

private var isMainThread: Bool { Thread.isMainThread }
