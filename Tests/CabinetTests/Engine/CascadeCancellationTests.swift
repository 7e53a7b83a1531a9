import Cabinet
import Synchronization
import Testing

@Suite("Cancelling a long cascade")
struct CascadeCancellationTests {
    @Test(
        "A cascade that is cancelled in a call of the store makes no further call, and changes nothing",
        arguments: [
            ("references", 2), ("load", 2), ("load", 4), ("apply", 1), ("apply", 2), ("groups", 1), ("groups", 2),
            ("delete", 1),
        ])
    func cancellation(_ name: String, _ number: Int) async throws {
        let call = try #require(CountingBackend.Call(rawValue: name))
        let backend = CountingBackend(hasGroups: ["groups", "delete"].contains(name))
        let database = try Container(identifier: "com.example.cascades", backend: backend).privateDatabase
        let list = try await database.save(Record(recordType: "Lists"))
        let items = (0..<10_000).map { index in
            var item = Record(recordType: "Items", recordID: RecordID(recordName: "i\(index)"))
            item["list"] = Reference(record: list, action: .deleteSelf)
            return item
        }
        _ = try await database.modifyRecords(saving: items, deleting: [])
        backend.forgetVisits()

        let deletion = Mutex<Task<Void, any Error>?>(nil)
        let count = Mutex(0)
        backend.onCall { found in
            guard found == call else { return }
            let current = count.withLock { count in
                count += 1
                return count
            }
            if current == number { deletion.withLock { $0?.cancel() } }
        }
        let task = deletion.withLock { deletion in
            let task = Task { _ = try await database.deleteRecord(withID: list.recordID) }
            deletion = task
            return task
        }
        let error = await #expect(throws: CabinetError.self) { try await task.value }
        #expect(error?.code == .operationCancelled)
        let calls = backend.visits.first { $0.isWrite }?.calls ?? []
        #expect(calls.last == call && calls.count { $0 == call } == number, "\(calls)")
        backend.onCall { _ in }
        #expect(try await database.count(matching: Query(recordType: "Items")) == items.count)
    }
}
