import Cabinet
import Synchronization

/// The readers of a file.
///
/// A read takes one and gives it back; when all are taken, it waits for its turn.
final class ReaderPool: Sendable {
    private typealias Waiter = CheckedContinuation<Reader, any Error>

    private struct State {
        var readers: [Reader] = []
        /// The readers that nobody uses; the one used last is the next to be used, because its memory is warm.
        var idle: [Reader] = []
        var waiters: [(id: UInt64, waiter: Waiter)] = []
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
    }

    private let state = Mutex(State())
    private let limit: Int
    private let makeReader: @Sendable (_ number: Int) -> Reader

    init(limit: Int, makeReader: @escaping @Sendable (_ number: Int) -> Reader) {
        self.limit = max(limit, 1)
        self.makeReader = makeReader
    }

    /// Takes a reader, at once if one is free.
    func take() async throws -> Reader {
        let (reader, id) = state.withLock { state -> (Reader?, UInt64) in
            if state.waiters.isEmpty, let reader = state.idle.popLast() { return (reader, 0) }
            if state.readers.count < limit {
                let reader = makeReader(state.readers.count + 1)
                state.readers.append(reader)
                return (reader, 0)
            }
            state.nextID += 1
            return (nil, state.nextID)
        }
        if let reader { return reader }
        // A cancellation that comes after the reader leaves its identifier behind.
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                enqueue(waiter, id: id)
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Gives a reader back.
    func giveBack(_ reader: Reader) {
        let waiter = state.withLock { state -> Waiter? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst().waiter }
            state.idle.append(reader)
            return nil
        }
        waiter?.resume(returning: reader)
    }

    /// All readers, for closing them.
    var all: [Reader] { state.withLock(\.readers) }

    /// The number of takers that wait, for tests.
    var waitingCount: Int { state.withLock(\.waiters.count) }

    /// The number of cancellations that are remembered, for tests.
    var cancellationCount: Int { state.withLock(\.cancelled.count) }

    private func enqueue(_ waiter: Waiter, id: UInt64) {
        let result = state.withLock { state -> Result<Reader, any Error>? in
            if state.cancelled.remove(id) != nil { return .failure(Self.cancellation) }
            // One may have been given back meanwhile.
            if let reader = state.idle.popLast() { return .success(reader) }
            state.waiters.append((id, waiter))
            return nil
        }
        if let result { waiter.resume(with: result) }
    }

    private func cancel(_ id: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.waiters.remove(at: index).waiter
        }
        waiter?.resume(throwing: Self.cancellation)
    }

    private static var cancellation: CabinetError {
        CabinetError(.operationCancelled, "The task was cancelled before its read began.")
    }
}
