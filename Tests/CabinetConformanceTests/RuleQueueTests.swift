import Testing

@testable import CabinetConformance

@Suite("Rules that wait for their turn")
struct RuleQueueTests {
    private struct Refusal: Error {}

    private actor Gauge {
        var running = 0
        var most = 0
        var ended = 0

        func begin() {
            running += 1
            most = max(most, running)
        }

        func end() {
            running -= 1
            ended += 1
        }
    }

    @Test("At most the given number of rules run at a time, and every rule gets its turn", arguments: [0, 1, 3])
    func width(_ width: Int) async throws {
        let queue = RuleQueue(width: width)
        let gauge = Gauge()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try? await queue.run {
                        await gauge.begin()
                        for _ in 0..<5 { await Task.yield() }
                        await gauge.end()
                        if number.isMultiple(of: 3) { throw Refusal() }
                    }
                }
            }
        }
        #expect(await gauge.running == 0)
        #expect(await gauge.most <= max(width, 1))
        #expect(await gauge.ended == 50)
    }

    @Test("An error of a rule is rethrown")
    func failure() async {
        let queue = RuleQueue(width: 1)
        for _ in 0..<3 { await #expect(throws: Refusal.self) { try await queue.run { throw Refusal() } } }
    }
}
