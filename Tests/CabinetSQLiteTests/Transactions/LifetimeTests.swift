import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Opening and closing of files.
@Suite struct LifetimeTests {
    @Test func aClosedBackendRefuses() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r")])
        await store.backend.close()
        await store.backend.close()
        await #expect { try await store.record(RecordID(recordName: "r")) } throws: {
            CabinetError.Code.serviceUnavailable ~= $0
        }
        await #expect { try await store.insert([StoredRecord("s")]) } throws: {
            CabinetError.Code.serviceUnavailable ~= $0
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
        #expect(names == ["public.sqlite"], "the log is deleted: the file is no longer open")
    }

    @Test func closingWaitsForWhatIsUnderWay() async throws {
        let store = Store()
        let gate = HeldGate()
        async let write: Void = store.backend.write(.public) { transaction in
            await gate.wait()
            _ = try await transaction.insertWithSchema([StoredRecord("r")])
        }
        await gate.whenReached()
        async let closing: Void = store.backend.close()
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        try await write
        await closing
        #expect(try await Store(in: store.directory).record(RecordID(recordName: "r")) != nil)
    }

    @Test func idleFilesAreClosedWhenThereAreTooMany() async throws {
        let store = Store(SQLiteConfiguration(maximumOpenDatabases: 4))
        let gate = HeldGate()
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await store.backend.write(.private(owner: "busy")) { transaction in
                    await gate.wait()
                    _ = try await transaction.insertWithSchema([StoredRecord("busy")])
                }
            }
            await gate.whenReached()
            for number in 0..<20 {
                try await store.insert([StoredRecord("r\(number)")], in: .private(owner: "u\(number)"))
            }
            #expect(store.backend.files.count <= 4)
            #expect(store.backend.files.openFile(.private(owner: "busy")) != nil)
            #expect(store.backend.files.openFile(.private(owner: "u0")) == nil)
            #expect(store.backend.files.openFile(.private(owner: "u19")) != nil)
            gate.open()
            try await group.waitForAll()
        }
        for number in 0..<20 {
            #expect(
                try await store.record(RecordID(recordName: "r\(number)"), in: .private(owner: "u\(number)")) != nil)
        }
        #expect(try await store.record(RecordID(recordName: "busy"), in: .private(owner: "busy")) != nil)
    }

    /// For any number of databases in use, only a limited number is open; the others take turns.
    @Test func manyDatabasesAtOnceTakeTurns() async throws {
        let store = Store(SQLiteConfiguration(maximumOpenDatabases: 4))
        let most = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let key = DatabaseKey.private(owner: "u\(number)")
                    try await store.insert([StoredRecord("r")], in: key)
                    let count = store.backend.files.count
                    #expect(try await store.record(RecordID(recordName: "r"), in: key) != nil)
                    return count
                }
            }
            return try await group.reduce(0) { max($0, $1) }
        }
        #expect(most <= 4)
        await store.backend.close()
        #expect(store.backend.files.count == 0)
    }

    /// A database that is used without a pause must not keep its slot forever: while another one waits for it, it
    /// accepts no new users.
    @Test func aBusyDatabaseLetsOthersIn() async throws {
        let store = Store(SQLiteConfiguration(maximumOpenDatabases: 1))
        let busy = DatabaseKey.private(owner: "busy")
        let gate = HeldGate()
        let holder = Task {
            try await store.backend.write(busy) { transaction in
                await gate.wait()
                _ = try await transaction.insertWithSchema([StoredRecord("r")])
            }
        }
        await gate.whenReached()
        let other = Task { try await store.insert([StoredRecord("s")], in: .private(owner: "other")) }
        try await expectWaiting(1, in: store)
        let next = Task { try await store.record(RecordID(recordName: "r"), in: busy) }
        try await expectWaiting(2, in: store)
        gate.open()
        try await holder.value
        _ = try await other.value
        #expect(try await next.value != nil)
    }

    /// Expects that this many tasks wait for a slot, soon.
    private func expectWaiting(
        _ count: Int, in store: Store, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<200_000 where store.backend.files.waitingCount != count {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(store.backend.files.waitingCount == count, sourceLocation: sourceLocation)
    }

    @Test func aWaitForASlotCanBeCancelled() async throws {
        let store = Store(SQLiteConfiguration(maximumOpenDatabases: 1))
        let gate = HeldGate()
        let holder = Task { try await store.backend.write(.private(owner: "a")) { _ in await gate.wait() } }
        await gate.whenReached()
        let cancelled = Task { try await store.insert([StoredRecord("r")], in: .private(owner: "b")) }
        let patient = Task { try await store.insert([StoredRecord("r")], in: .private(owner: "c")) }
        try await expectWaiting(2, in: store)
        cancelled.cancel()
        await #expect { _ = try await cancelled.value } throws: { CabinetError.Code.operationCancelled ~= $0 }
        async let closing: Void = store.backend.close()
        gate.open()
        try await holder.value
        _ = try await patient.value
        await closing
        #expect(try await Store(in: store.directory).record(RecordID(recordName: "r"), in: .private(owner: "c")) != nil)
        #expect(try await Store(in: store.directory).record(RecordID(recordName: "r"), in: .private(owner: "b")) == nil)
    }

    @Test func moreReadsThanReadersTakeTurns() async throws {
        let store = Store(SQLiteConfiguration(maximumReaders: 2))
        try await store.insert([StoredRecord("r")])
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await store.backend.read(.public) { snapshot in
                        try await Task.sleep(for: .milliseconds(1))
                        return try await snapshot.records(for: [RecordID(recordName: "r")], keys: nil).count
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 40)
        #expect(store.backend.files.openFile(.public)?.readers.idleResources.count == 2)
    }

    @Test func aReadThatIsCancelledWhileItWaitsDoesNotHoldAReader() async throws {
        let store = Store(SQLiteConfiguration(maximumReaders: 1))
        try await store.insert([StoredRecord("r")])
        let gate = HeldGate()
        let holder = Task { try await store.backend.read(.public) { _ in await gate.wait() } }
        await gate.whenReached()
        let waiting = Task { try await store.record(RecordID(recordName: "r")) }
        for _ in 0..<20 { await Task.yield() }
        waiting.cancel()
        await #expect { try await waiting.value } throws: { CabinetError.Code.operationCancelled ~= $0 }
        gate.open()
        try await holder.value
        #expect(try await store.record(RecordID(recordName: "r")) != nil)
    }
}
