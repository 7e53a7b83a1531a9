import Cabinet
import CabinetTesting
import Synchronization

/// A backend that cancels a task in one of the calls of its transactions, and counts them.
struct CancellingBackend: WrappingBackend {
    /// A call of a transaction, or its end.
    enum Call: String {
        case references, apply
        /// The commit, which follows the last call.
        case commit
    }

    let base: any StorageBackend
    private let calls = CallCounter()
    private let cancellation = Cancellation()

    init(base: any StorageBackend) { self.base = base }

    /// Runs a closure in a task that is cancelled before a call.
    ///
    /// - Parameters:
    ///   - call: The kind of the call.
    ///   - number: The number of the call among those of its kind, beginning with 1.
    ///   - body: The closure.
    func cancelling(at call: Call, _ number: Int, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let (began, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in began {}
            try await body()
        }
        cancellation.set { task.cancel() }
        calls.stop(at: call, number)
        start.finish()
        try await task.value
    }

    /// The number of calls since ``cancelling(at:_:_:)``.
    func count(of call: Call) -> Int { calls.count(of: call) }

    fileprivate func begin(_ call: Call) {
        if calls.add(call) { cancellation.cancel() }
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(database) { transaction in
            let result = try await body(CancellingTransaction(base: transaction, backend: self))
            begin(.commit)
            return result
        }
    }

    /// Does nothing: the caller that opened the other backend closes it.
    func close() async {}
}

private struct CancellingTransaction: WrappingTransaction {
    let base: any StorageTransaction
    let backend: CancellingBackend

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        backend.begin(.references)
        return try await base.references(to: ids)
    }

    func apply(_ mutations: [StorageMutation]) async throws {
        backend.begin(.apply)
        try await base.apply(mutations)
    }
}

/// Counts calls, up to the one that a task is cancelled in and beyond.
private final class CallCounter: Sendable {
    private struct State {
        var counts: [CancellingBackend.Call: Int] = [:]
        var end: (call: CancellingBackend.Call, number: Int)?
    }

    private let state = Mutex(State())

    func stop(at call: CancellingBackend.Call, _ number: Int) {
        state.withLock { $0 = State(end: (call, number)) }
    }

    /// Counts a call, and returns whether it is the one to cancel in.
    func add(_ call: CancellingBackend.Call) -> Bool {
        state.withLock { state in
            state.counts[call, default: 0] += 1
            return state.end?.call == call && state.end?.number == state.counts[call]
        }
    }

    func count(of call: CancellingBackend.Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }
}

/// Cancels a task that is created later.
final class Cancellation: Sendable {
    private struct State {
        var body: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func set(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.body = body } }

    func cancel() { state.withLock { $0.body }?() }
}
