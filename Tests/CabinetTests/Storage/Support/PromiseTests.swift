import Testing

@testable import Cabinet

@Suite("A result that arrives once", .timeLimit(.minutes(15)))
struct PromiseTests {
    @Test("The result arrives before the wait or after it, and the first one counts")
    func order() async throws {
        let early = Promise<Int>()
        early.resolve(.success(1))
        early.resolve(.success(2))
        #expect(try await early.value() == 1)
        let late = Promise<Int>()
        let task = Task { try await late.value() }
        for _ in 0..<10 { await Task.yield() }
        late.resolve(.failure(CancellationError()))
        late.resolve(.success(2))
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Of many results at once, one arrives")
    func race() async throws {
        for _ in 0..<100 {
            let promise = Promise<Int>()
            async let value = promise.value()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 { group.addTask { promise.resolve(.success(number)) } }
            }
            #expect((0..<4).contains(try await value))
        }
    }
}
