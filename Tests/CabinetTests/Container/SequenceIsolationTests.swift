import Dispatch
import Synchronization
import Testing

@testable import Cabinet

@Suite("Sequences of records: isolation")
struct SequenceIsolationTests {
    /// An actor with a queue of its own.
    private actor Screen {
        private let queue = CountedQueue()
        nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

        /// Returns the numbers of elements and of jobs of an iteration.
        func iterate(over sequence: some AsyncSequence) async throws -> (elements: Int, jobs: Int) {
            let before = queue.jobCount
            var count = 0
            for try await _ in sequence { count += 1 }
            return (count, queue.jobCount - before)
        }
    }

    private final class CountedQueue: SerialExecutor {
        private let queue = DispatchQueue(label: "screen")
        private let jobs = Atomic(0)

        var jobCount: Int { jobs.load(ordering: .relaxed) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.add(1, ordering: .relaxed)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    @Test("An actor's iteration leaves the actor once per page, not once per record")
    func jobsOfAnActor() async throws {
        let database = try Container(identifier: "com.example.notes", backend: MemoryBackend()).privateDatabase
        let boxes = (0..<100).map { Record(recordType: "Boxes", recordID: RecordID(recordName: "box \($0)")) }
        _ = try await database.modifyRecords(saving: boxes, deleting: [])
        let untyped = database.recordSequence(matching: Query(recordType: "Boxes"), pageSize: 50)
        #expect(try await Screen().iterate(over: untyped) == (100, 2))
        let typed = database.table(Boxes.self).sequence(pageSize: 50)
        #expect(try await Screen().iterate(over: typed) == (100, 2))
    }
}
