import Cabinet
import Foundation
import Synchronization
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Concurrent writes share a transaction, but succeed or fail separately.
@Suite struct GroupCommitTests {
    private struct Refusal: Error {}

    private func statistics(of store: Store) throws -> Writer.Statistics {
        try #require(store.backend.files.openFile(.public)).writer.statistics
    }

    @Test func writesThatWaitAreCommittedTogether() async throws {
        let store = Store()
        try await store.insert([StoredRecord("first", [("a", .int64(0))])])
        let before = try statistics(of: store)
        let gate = HeldGate()
        try await withThrowingTaskGroup { group in
            // While this one holds the writer, the others queue up.
            group.addTask { try await store.backend.write(.public) { _ in await gate.wait() } }
            await gate.whenReached()
            for number in 0..<64 {
                group.addTask { _ = try await store.insert([StoredRecord("r\(number)", [("a", .int64(1))])]) }
            }
            while store.backend.files.openFile(.public)?.waitingWrites != 64 { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        let after = try statistics(of: store)
        #expect(after.runs - before.runs == 65)
        #expect(after.commits - before.commits == 2)
        let ids = (0..<64).map { RecordID(recordName: "r\($0)") }
        let records = try await store.backend.read(.public) { try await $0.records(for: ids, keys: nil) }
        #expect(Set(records.compactMap { $0?.sequenceNumber }).count == 64)
    }

    @Test func manyTasksNeedFewCommits() async throws {
        let store = Store()
        try await store.insert([StoredRecord("first", [("a", .int64(0))])])
        let before = try statistics(of: store)
        try await withThrowingTaskGroup { group in
            for task in 0..<64 {
                group.addTask {
                    for number in 0..<10 {
                        try await store.insert([StoredRecord("t\(task)-\(number)", [("a", .int64(1))])])
                    }
                }
            }
            try await group.waitForAll()
        }
        let commits = try statistics(of: store).commits - before.commits
        #expect(commits < 320, "\(commits) commits for 640 writes")
        #expect(try store.sql("SELECT count(*) FROM Items") == [["641"]])
    }

    @Test func aFailedWriteIsRolledBackSeparately() async throws {
        let store = Store()
        let gate = HeldGate()
        let results = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            group.addTask {
                try await store.backend.write(.public) { _ in await gate.wait() }
                return (-1, true)
            }
            await gate.whenReached()
            for number in 0..<20 {
                group.addTask {
                    do {
                        try await store.backend.write(.public) { transaction in
                            let zone = RecordZone.ID(zoneName: "zone\(number)")
                            let record = StoredRecord(
                                "r\(number)", type: "T\(number % 4)", zone: zone, [("f\(number)", .int64(1))])
                            _ = try await transaction.insertWithSchema([record])
                            if number % 2 == 1 { throw Refusal() }
                        }
                        return (number, true)
                    } catch is Refusal {
                        return (number, false)
                    }
                }
            }
            while store.backend.files.openFile(.public)?.waitingWrites != 20 { await Task.yield() }
            gate.open()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for number in 0..<20 {
            #expect(results[number] == (number % 2 == 0))
            let id = RecordID(recordName: "r\(number)", zoneID: RecordZone.ID(zoneName: "zone\(number)"))
            #expect(try await store.record(id)?.recordID == (number % 2 == 0 ? id : nil))
        }
        let schema = try await store.backend.write(.public) { try await $0.schema() }
        #expect(
            schema.recordTypes.mapValues { Set($0.keys) } == [
                "T0": ["f0", "f4", "f8", "f12", "f16"], "T2": ["f2", "f6", "f10", "f14", "f18"],
            ])
        #expect(try await store.backend.read(.public) { try await $0.schema() } == schema)
        #expect(try store.sql("SELECT count(*) FROM cabinet_zone") == [["11"]])
        #expect(try statistics(of: store).commits == 3)
    }

    /// A write that fails leaves no knowledge of tombstones.
    @Test func aFailedWriteLeavesNoFalseTombstones() async throws {
        let store = Store()
        let record = try await store.insert([StoredRecord("r", [("a", .int64(0))])])[0]
        try await store.backend.write(.public) {
            try await $0.remove([record.recordID], firstSequenceNumber: 1_000, date: Date())
        }
        let file = try #require(store.backend.files.openFile(.public))
        let gate = HeldGate()
        let holder = Task { try await store.backend.write(.public) { _ in await gate.wait() } }
        await gate.whenReached()
        let failing = Task {
            try await store.backend.write(.public) { transaction in
                try await transaction.apply([.forgetDeletions(in: .default, through: .max)])
                _ = try await transaction.insertWithSchema([StoredRecord("s", [("a", .int64(0))])])
                throw Refusal()
            }
        }
        while file.waitingWrites != 1 { await Task.yield() }
        let saving = Task { try await store.insert([StoredRecord("r", [("a", .int64(1))])]) }
        while file.waitingWrites != 2 { await Task.yield() }
        gate.open()
        try await holder.value
        await #expect(throws: Refusal.self) { try await failing.value }
        _ = try await saving.value
        #expect(try store.sql("SELECT recordName FROM cabinet_deletion") == [])
    }

    @Test func bodiesRunOneAfterTheOtherEvenIfTheySuspend() async throws {
        let store = Store()
        let log = Log()
        try await withThrowingTaskGroup { group in
            for number in 0..<30 {
                group.addTask {
                    try await store.backend.write(.public) { transaction in
                        #expect(log.enter() == 1)
                        let before = try await transaction.reserveSequenceNumbers(1)
                        try await Task.sleep(for: .milliseconds(1))
                        await Task.detached { await Task.yield() }.value
                        #expect(try await transaction.reserveSequenceNumbers(1) == before + 1)
                        log.leave(number)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(log.finished.count == 30)
    }

    @Test func aBodyThatHidesAFailedChangeFailsAllTheSame() async throws {
        let store = Store()
        try await store.insert([StoredRecord("taken", [("a", .int64(0))])])
        await #expect(throws: CabinetError.self) {
            try await store.backend.write(.public) { transaction in
                let number = try await transaction.reserveSequenceNumbers(2)
                var first = StoredRecord("new", [("a", .int64(1))])
                first.sequenceNumber = number
                var second = StoredRecord("taken", [("a", .int64(1))])
                second.sequenceNumber = number + 1
                try? await transaction.insert([first, second])
            }
        }
        #expect(try await store.record(RecordID(recordName: "new")) == nil)
        #expect(try store.sql("SELECT count(*) FROM Items") == [["1"]])
    }

    @Test func aWriteThatHasBegunIsFinished() async throws {
        let store = Store()
        let gate = HeldGate()
        let write = Task {
            try await store.backend.write(.public) { transaction in
                await gate.wait()
                _ = try await transaction.insertWithSchema([StoredRecord("r")])
            }
        }
        await gate.whenReached()
        write.cancel()
        gate.open()
        try await write.value
        #expect(try await store.record(RecordID(recordName: "r")) != nil)
    }

    @Test func aWriteThatIsCancelledBeforeItBeginsChangesNothing() async throws {
        let store = Store()
        let gate = HeldGate()
        let holder = Task { try await store.backend.write(.public) { _ in await gate.wait() } }
        await gate.whenReached()
        let waiting = Task { try await store.insert([StoredRecord("r")]) }
        while store.backend.files.openFile(.public)?.waitingWrites != 1 { await Task.yield() }
        waiting.cancel()
        // It fails before it gets its turn.
        await #expect { try await waiting.value } throws: { CabinetError.Code.operationCancelled ~= $0 }
        gate.open()
        try await holder.value
        #expect(try await store.record(RecordID(recordName: "r")) == nil)
    }

    @Test func numbersNeverRepeat() async throws {
        let store = Store()
        var last: Int64 = 0
        for _ in 0..<3 {
            let record = try await store.insert([StoredRecord("r", [("a", .int64(0))])])[0]
            #expect(record.sequenceNumber > last)
            last = record.sequenceNumber
            try await store.backend.write(.public) {
                try await $0.remove([record.recordID], firstSequenceNumber: 1_000, date: Date())
            }
        }
        await store.backend.close()
        let reopened = Store(in: store.directory)
        #expect(try await reopened.backend.write(.public) { try await $0.reserveSequenceNumbers(5) } > last)
    }
}

/// Records the running and the completed writes.
private final class Log: Sendable {
    private let running = Mutex(0)
    private let done = Mutex<[Int]>([])

    var finished: [Int] { done.withLock { $0 } }

    /// - Returns: The number of running writes.
    func enter() -> Int {
        running.withLock { running in
            running += 1
            return running
        }
    }

    func leave(_ number: Int) {
        running.withLock { $0 -= 1 }
        done.withLock { $0.append(number) }
    }
}
