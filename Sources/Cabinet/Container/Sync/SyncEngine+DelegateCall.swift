import Synchronization

extension SyncEngine {
    /// A call of a sync engine's delegate.
    ///
    /// Tasks that the delegate starts inherit the call, and may outlive it.
    final class DelegateCall: Sendable {
        /// The longest time for which another task waits for the end of the call.
        ///
        /// Nothing reveals whether the delegate awaits that task: then neither would end.
        private static let longestWait = Duration.seconds(5)

        private let engine: ObjectIdentifier
        private let task = DelegateCall.currentTask
        /// The tasks that wait for the end; `nil` after it.
        private let waiters = Mutex<[AsyncStream<Void>.Continuation]?>([])

        init(of engine: SyncEngine) {
            self.engine = ObjectIdentifier(engine)
        }

        /// Whether the delegate has not returned.
        var isActive: Bool { waiters.withLock { $0 != nil } }

        /// Whether the call is one of an engine's delegate.
        func isOfDelegate(of engine: SyncEngine) -> Bool { self.engine == ObjectIdentifier(engine) }

        /// Resumes the tasks that wait, because the delegate has returned.
        func end() {
            let ended = waiters.withLock { waiters in
                defer { waiters = nil }
                return waiters ?? []
            }
            for waiter in ended { waiter.finish() }
        }

        /// Waits until the delegate has returned, if the call is one of an engine's delegate.
        ///
        /// - Throws: ``CabinetError/Code/invalidArguments`` in the delegate's own task, and in one that the delegate waits for.
        func waitForEnd(ifOf engine: SyncEngine) async throws(CabinetError) {
            guard isOfDelegate(of: engine) else { return }
            let (end, waiter) = AsyncStream.makeStream(of: Void.self)
            let isActive = waiters.withLock { waiters in
                waiters?.append(waiter)
                return waiters != nil
            }
            if !isActive { return }
            if Self.currentTask != task, await Self.isInTime(end) { return }
            if Task.isCancelled {
                throw CabinetError(.operationCancelled, "The task was cancelled while it waited for the delegate.")
            }
            throw CabinetError(
                .invalidArguments,
                "The delegate is called while changes are sent or fetched, and cannot wait for more of that. "
                    + "Call the engine in a task of its own, which the delegate does not await.")
        }

        /// Waits for the end of a stream, and returns whether it came before the limit.
        private static func isInTime(_ stream: AsyncStream<Void>) async -> Bool {
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for await _ in stream {}
                    return !Task.isCancelled
                }
                group.addTask {
                    try? await Task.sleep(for: longestWait)
                    return false
                }
                defer { group.cancelAll() }
                return await group.next() ?? false
            }
        }

        /// The identity of the current task.
        private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
    }
}
