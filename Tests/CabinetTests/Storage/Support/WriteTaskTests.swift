import Synchronization
import Testing

@testable import Cabinet

/// A write that a scheduler begins, runs and finishes, and whose caller may be cancelled.
@Suite(.timeLimit(.minutes(15))) struct WriteTaskTests {
    private typealias Write = WriteTask<Int>

    @Test("The caller gets the result of the last run")
    func result() async throws {
        let text = try await Write.run({ "run \($0)" }) { write in
            for number in 1...3 {
                #expect(write.begin())
                #expect(await write.run(in: number) == nil)
                if number < 3 { write.pause() }
            }
            write.finish(nil)
            write.finish(CancellationError())
            #expect(!write.begin())
        }
        #expect(text == "run 3")
    }

    @Test("The caller gets the error with which the write is finished, also before it was run")
    func failure() async {
        await #expect(throws: CancellationError.self) {
            try await Write.run({ _ in 1 }) { write in
                _ = write.begin()
                _ = await write.run(in: 1)
                write.finish(CancellationError())
            }
        }
        let error = await #expect(throws: CabinetError.self) {
            try await Write.run({ _ in 1 }) { $0.finish(nil) }
        }
        #expect(error?.code == .internalError)
    }

    @Test("A write is cancelled before it begins or when it pauses, and not while it runs", arguments: [false, true])
    func cancellation(pauses: Bool) async throws {
        let error = CabinetError(.zoneBusy, "late")
        func run(_ schedule: (Write) -> Void) async throws -> Int {
            try await Write.run({ $0 }) { write in
                schedule(write)
                _ = await write.run(in: 7)
                if pauses { write.pause() }
                write.finish(nil)
            }
        }
        let early = await #expect(throws: CabinetError.self) {
            try await run { write in
                write.cancel(error)
                #expect(!write.begin())
            }
        }
        #expect(early?.message == "late")
        do {
            let value = try await run { write in
                #expect(write.begin())
                write.cancel(error)
                write.cancel(CabinetError(.zoneBusy, "later"))
            }
            #expect(value == 7 && !pauses)
        } catch let thrown as CabinetError {
            #expect(thrown.message == "late" && pauses)
        }
    }

    @Test("Cancelling the caller's task cancels a write that has not begun")
    func callersCancellation() async {
        let held = Mutex<Write?>(nil)
        let task = Task { try await Write.run({ $0 }) { write in held.withLock { $0 = write } } }
        while held.withLock({ $0 == nil }) { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: CabinetError.self) { try await task.value }
        #expect(error?.code == .operationCancelled)
        #expect(held.withLock { $0?.begin() } == false)
    }
}
