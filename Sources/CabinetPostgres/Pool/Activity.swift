import Cabinet
import Synchronization

/// Counts the transactions that are under way, so that closing can wait for them.
final class Activity: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Notes that a transaction begins.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/serviceUnavailable`` if the backend was closed.
    func begin() throws {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.count += 1 }
            return !state.isClosed
        }
        if !isOpen { throw CabinetError(.serviceUnavailable, "The PostgreSQL backend was closed.") }
    }

    /// Notes that a transaction is over.
    func end() {
        let waiters = state.withLock { state in
            state.count -= 1
            guard state.count == 0, state.isClosed else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Refuses further transactions, and waits for those that are under way.
    func close() async {
        await withCheckedContinuation { waiter in
            let isQuiet = state.withLock { state in
                state.isClosed = true
                if state.count > 0 { state.waiters.append(waiter) }
                return state.count == 0
            }
            if isQuiet { waiter.resume() }
        }
    }
}
