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
        private let isActive = Mutex(true)

        init(of engine: SyncEngine) {
            self.engine = ObjectIdentifier(engine)
        }

        /// Marks that the delegate has returned.
        func end() { isActive.withLock { $0 = false } }

        /// Waits until the delegate has returned, if the call is one of an engine's delegate.
        ///
        /// - Throws: ``CabinetError/Code/invalidArguments`` in the delegate's own task, and in one that the delegate waits for.
        func waitForEnd(ifOf engine: SyncEngine) async throws {
            guard self.engine == ObjectIdentifier(engine) else { return }
            let deadline = ContinuousClock.now + Self.longestWait
            var pause = Duration.milliseconds(1)
            while isActive.withLock({ $0 }) {
                guard Self.currentTask != task, ContinuousClock.now < deadline else {
                    throw CabinetError(
                        .invalidArguments,
                        "The delegate is called while changes are sent or fetched, and cannot wait for more of that. "
                            + "Call the engine in a task of its own, which the delegate does not await.")
                }
                do {
                    try await Task.sleep(for: pause)
                } catch {
                    throw CabinetError(
                        .operationCancelled, "The task was cancelled while it waited for the delegate.")
                }
                pause = min(pause * 2, .milliseconds(50))
            }
        }

        /// The identity of the current task.
        private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
    }
}
