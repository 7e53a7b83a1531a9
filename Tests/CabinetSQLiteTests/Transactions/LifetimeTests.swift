import Cabinet
import Foundation
import Testing

@testable import CabinetSQLite

/// When files are opened and closed.
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
        #expect(names == ["public.sqlite"], "the log is gone: nothing holds the file any more")
    }

    @Test func closingWaitsForWhatIsUnderWay() async throws {
        let store = Store()
        let gate = Gate()
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
        let gate = Gate()
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
        #expect(store.backend.files.openFile(.public)?.readers.all.count == 2)
    }

    @Test func aReadThatIsCancelledWhileItWaitsDoesNotHoldAReader() async throws {
        let store = Store(SQLiteConfiguration(maximumReaders: 1))
        try await store.insert([StoredRecord("r")])
        let gate = Gate()
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
