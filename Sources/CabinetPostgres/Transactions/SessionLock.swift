import Cabinet
import Synchronization

/// A lock that tasks hold while they wait for the server, without blocking the threads of others.
final class SessionLock: Sendable {
    private struct State {
        var isTaken = false
        /// The waiting tasks in the order of their calls.
        var waiters: [Promise<Void>] = []
    }

    private let state = Mutex(State())

    /// Waits for the lock and takes it.
    func take() async {
        let turn = state.withLock { state -> Promise<Void>? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            let turn = Promise<Void>()
            state.waiters.append(turn)
            return turn
        }
        // The promise is never resolved with an error.
        try? await turn?.value()
    }

    /// Takes the lock if it is free.
    ///
    /// - Returns: Whether it was free.
    func takeIfFree() -> Bool {
        state.withLock { state in
            if state.isTaken { return false }
            state.isTaken = true
            return true
        }
    }

    /// Returns the lock, to the task that has waited longest.
    func giveBack() {
        let next = state.withLock { state -> Promise<Void>? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.isTaken = false
            return nil
        }
        next?.resolve(.success(()))
    }
}
