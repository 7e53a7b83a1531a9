import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import Cabinet

@Suite("Transactions with reads")
struct TransactionTests {
    private func container(_ account: Account? = Account(userRecordName: "_ann")) throws -> Container {
        try Container(identifier: "com.example.transactions", backend: MemoryBackend(), account: account)
    }

    private func item(_ name: String, _ number: Int = 0) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: name))
        record["number"] = number
        return record
    }

    private func error(_ body: () async throws -> some Any) async throws -> CabinetError {
        try await #require(throws: CabinetError.self) { _ = try await body() }
    }

    @Test("A transaction within another one is refused, but not on another database")
    func nesting() async throws {
        let container = try container()
        let database = container.privateDatabase
        let error = try await error {
            try await database.transaction { _ in try await database.inZone(.default).transaction { _ in } }
        }
        #expect(error.code == .invalidArguments && error.message.contains("is running in this task"))
        try await database.transaction { t in
            let shared = try await container.publicDatabase.transaction { t in
                let record = item("public")
                try t.save(record)
                return record
            }
            #expect(shared.recordChangeTag != nil)
            try t.save(item("private"))
        }
        #expect(try await database.record(for: "private")["number"] == 0)
    }

    @Test("A transaction that saves returns an optional result of any type, and a record as it was stored")
    func optionalResults() async throws {
        let database = try container().privateDatabase
        func result<Output>(_ output: Output) async throws -> Output {
            try await database.transaction { t in
                try t.save(item(RecordID.uniqueRecordName()))
                return output
            }
        }
        #expect(try await result(Optional("text")) == "text")
        #expect(try await result(Int?.none) == nil)
        #expect(try await result("text" as Any) as? String == "text")
        let record: Record? = try await database.transaction { t in
            let record = item("record")
            try t.save(record)
            return record
        }
        #expect(record?.recordChangeTag != nil)
    }

    @Test("A task that a transaction has started may begin one when that has ended")
    func startedTask() async throws {
        let database = try container().privateDatabase
        let (ends, continuation) = AsyncStream<Void>.makeStream()
        let (task, ended) = try await database.transaction { t in
            let task = Task {
                for await _ in ends {}
                try await database.transaction { try $0.save(self.item("later")) }
            }
            return (task, t)
        }
        continuation.finish()
        try await task.value
        withExtendedLifetime(ended) {}
        #expect(try await database.record(for: "later")["number"] == 0)
    }

    @Test("A transaction that has ended neither reads nor writes")
    func afterwards() async throws {
        let database = try container().privateDatabase
        let ended = try await database.transaction { $0 }
        #expect(ended.database.description == database.description)
        for error in [
            try await error { try ended.save(item("a")) }, try await error { try ended.save([]) },
            try await error { try ended.delete("a") }, try await error { try await ended.record(for: "a") },
            try await error { try await ended.allRecords(matching: Query(recordType: "Items")) },
        ] {
            #expect(error.code == .invalidArguments && error.message.contains("has ended"))
        }
        #expect(try await database.allRecords(matching: Query(recordType: "Items")) == [])
    }

    @Test("Wrong arguments are refused")
    func arguments() async throws {
        let database = try container().privateDatabase
        #expect(try await error { try await database.transaction(attempts: 0) { _ in } }.code == .invalidArguments)
        let zone = database.inZone(RecordZone.ID(zoneName: "Other"))
        let record = item("a")
        #expect(try await error { try await zone.transaction { try $0.save(record) } }.code == .invalidArguments)
        #expect(
            try await error { try await zone.transaction { try await $0.record(for: "a") } }.code == .invalidArguments)
        let query = Query(recordType: "Items")
        #expect(
            try await error { try await database.transaction { try await $0.allRecords(matching: query, limit: -1) } }
                .code == .invalidArguments)
    }

    @Test("More than 4,000 reads are refused")
    func limit() async throws {
        let database = try container().privateDatabase
        let ids = (0..<TransactionReads.maximumCount).map { RecordID(recordName: "item \($0)") }
        try await database.save(ids.map { Record(recordType: "Items", recordID: $0) })
        let query = Query(recordType: "Items")
        let errors = [
            try await error { try await database.transaction { try await $0.allRecords(matching: query) } },
            try await error { try await database.transaction { try await $0.records(for: ids + ["one more"]) } },
        ]
        for error in errors { #expect(error.code == .limitExceeded && error.message.contains("4000")) }
        try await database.transaction { t in
            #expect(try await t.records(for: ids).count == ids.count)
            #expect(try await t.record(for: ids[7]).recordID == ids[7])
            try t.save(item("new"))
        }
        let reads = TransactionReads(records: (ids + ["one more"]).map { ReadRecord(recordID: $0) })
        let caller = Caller(account: Account(userRecordName: "_ann"), deviceID: "")
        let service = try LocalDatabaseService(backend: MemoryBackend())
        #expect(
            try await error { try await service.perform(FetchRecordsRequest(reads: reads), for: caller) }.code
                == .limitExceeded)
        #expect(
            try await error { try await service.perform(ModifyRecordsRequest(reads: reads), for: caller) }.code
                == .limitExceeded)
    }

    @Test("A task that is cancelled ends its transaction between two attempts")
    func cancellation() async throws {
        let database = try container().privateDatabase
        try await database.save(item("a"))
        let attempts = Mutex(0)
        let task = Task {
            try await database.transaction(attempts: 1_000_000) { t in
                attempts.withLock { $0 += 1 }
                let record = try await t.record(for: "a")
                _ = try await Task.detached { try await database.update("a") { $0["number"] = 1 } }.value
                try t.save(record)
            }
        }
        while attempts.withLock({ $0 < 3 }) { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        #expect(try await error { try await task.value }.code == .operationCancelled)
    }

    @Test("A transaction that only reads or only writes sends no more than that")
    func requests() async throws {
        let base = try container().privateDatabase
        let service = CountingService(base.client.service)
        let database = base.over(service)
        try await database.transaction { try $0.save([item("a"), item("b")]) }
        #expect(service.take() == ["modifyRecords": 1])
        try await database.transaction { t in
            for _ in 0..<3 { _ = try await t.records(for: ["a", "b", "c"]) }
            _ = try? await t.record(for: "c")
        }
        #expect(service.take() == ["fetchRecords": 1])
        try await database.transaction { t in
            async let (a, b) = (t.record(for: "a"), t.record(for: "b"))
            try await t.save([a, b])
        }
        #expect(service.take() == ["fetchRecords": 2, "modifyRecords": 1])
    }

    @Test("Records of the result are as they are stored, also optional and typed ones")
    func results() async throws {
        let database = try container().privateDatabase
        let one: Record? = try await database.transaction { t in
            try t.save(item("a"))
            return item("a")
        }
        #expect(try await one == database.record(for: "a"))
        let many: [Record] = try await database.transaction { t in
            let a = try await t.record(for: "a")
            try t.save(item("b"))
            return [a, item("b"), item("unsaved")]
        }
        #expect(many.map { $0.recordChangeTag != nil } == [true, true, false])
        let none: Record? = try await database.transaction { t in
            try t.save(item("c"))
            return nil
        }
        #expect(none == nil)
    }

    @Test("Reads show nothing of a record that the user may not read")
    func secrets() async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        func container(_ name: String, _ roles: Set<String> = []) throws -> Container {
            try Container(
                identifier: "com.example.secrets", service: service,
                account: Account(userRecordName: name, roles: roles))
        }
        let (editor, reader) = (try container("_eva", ["Editor"]), try container("_ben"))
        var schema = Schema(recordTypes: [:], roles: ["Editor"])
        schema["Secrets"] = .init(
            fields: ["number": .init(.int64, [.queryable])], grants: ["Editor": [.read, .create, .write]])
        try await editor.apply(schema)
        var secret = Record(recordType: "Secrets", recordID: "secret")
        secret["number"] = 1
        secret = try await editor.publicDatabase.save(secret)
        // A right change tag, a wrong one and absence all have the error of a fetch.
        for tag in [secret.recordChangeTag, "1-abc", nil] {
            var request = ModifyRecordsRequest(scope: .public, recordsToSave: [item(UUID().uuidString)])
            request.reads = TransactionReads(
                end: TimelinePoint(number: 0), records: [ReadRecord(recordID: secret.recordID, changeTag: tag)])
            let caller = Caller(account: Account(userRecordName: "_ben"), deviceID: "")
            let error = try await error { [request] in try await service.perform(request, for: caller) }
            #expect(error.code == .permissionFailure && error.recordID == secret.recordID)
            let fetch = FetchRecordsRequest(scope: .public, recordIDs: ["other"], reads: request.reads)
            let other = try await self.error { try await service.perform(fetch, for: caller) }
            #expect(other.code == error.code && other.message == error.message)
        }
        #expect(
            try await error {
                try await reader.publicDatabase.transaction { try await $0.record(for: secret.recordID) }
            }.code == .permissionFailure)
        // A query of readable records conflicts with no change of others.
        var attempts = 0
        try await reader.publicDatabase.transaction { t in
            attempts += 1
            let count = try await t.allRecords(matching: Query(recordType: "Items")).count
            try await editor.publicDatabase.update(secret.recordID) { $0["number"] = 2 }
            try t.save(item("item", count))
        }
        #expect(attempts == 1)
    }
}
