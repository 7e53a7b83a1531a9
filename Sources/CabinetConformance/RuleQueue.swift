import Foundation

/// Lets a limited number of rules run at a time; the others wait.
actor RuleQueue {
    static let shared = RuleQueue(width: 4 * ProcessInfo.processInfo.activeProcessorCount)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var next = 0

    /// - Parameter width: The number of rules that run at a time.
    init(width: Int) {
        free = max(width, 1)
    }

    /// Runs a closure when its turn comes, in the order of the calls.
    nonisolated func run<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        await enter()
        let result: Result
        do {
            result = try await body()
        } catch {
            await leave()
            throw error
        }
        await leave()
        return result
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        guard next < waiting.count else {
            free += 1
            return
        }
        // The next waiter takes over the slot of the one that leaves.
        waiting[next].resume()
        next += 1
        if next == waiting.count {
            waiting = []
            next = 0
        }
    }
}
