public import Synchronization

/// A limited number of resources, such as connections, that tasks share without blocking a thread.
///
/// A task takes a resource, uses it exclusively, and returns it. The pool creates a resource if none is idle, up to its limit.
/// Beyond the limit, tasks wait in the order of their calls:
///
/// ```swift
/// let connections = ResourcePool(limit: 4, waitLimit: .seconds(30)) {
///     number in MyConnection(number)
/// }
///
/// let rows = try await connections.withResource { connection in
///     try await connection.rows(of: statement)
/// }
/// ```
public final class ResourcePool<Resource: Sendable>: Sendable {
    @usableFromInline struct State {
        /// The idle resources; the one used last is used next, because its memory is warm.
        @usableFromInline var idle: [Resource] = []
        /// Whether no task waits and the pool is open, so that resources come from the idle ones and return to them.
        @usableFromInline var isCalm = true
        /// The number of resources, idle and in use.
        var count = 0
        /// The number of resources ever created.
        var createdCount = 0
        /// The waiting tasks in the order of their calls; the caller that removes a waiter resolves it.
        var waiters: [Waiter] = [] {
            didSet { isCalm = waiters.isEmpty && !isClosed }
        }
        /// Whether a task checks how long others wait.
        var isWatched = false
        var isClosed = false {
            didSet { isCalm = waiters.isEmpty && !isClosed }
        }
        /// The tasks that wait until every resource is idle.
        var closers: [Promise<Void>] = []
    }

    /// A task that waits.
    struct Waiter: Sendable {
        let promise: Promise<Resource>
        /// The end of the wait; `nil` without a limit.
        let deadline: ContinuousClock.Instant?
    }

    /// A resource, or a position in the queue.
    enum Turn {
        case now(Resource)
        case later(Promise<Resource>)
    }

    @usableFromInline let state = Mutex(State())
    private let limit: Int
    @usableFromInline let idleLimit: Int
    private let waitLimit: Duration?
    private let timeoutError: CabinetError
    private let closedError: CabinetError
    private let create: @Sendable (_ number: Int) -> Resource

    /// Creates a pool without resources.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of resources, at least 1.
    ///   - idleLimit: The maximum number of idle resources. A resource that is returned beyond it is released.
    ///   - waitLimit: The time limit of a wait for a resource; `nil` for none.
    ///   - timeoutError: The error after the wait limit.
    ///   - closedError: The error once the pool is closed.
    ///   - create: A closure that creates a resource, whose number counts from 1. It runs in the task that takes the resource
    ///     first.
    public init(
        limit: Int, idleLimit: Int = .max, waitLimit: Duration? = nil, timeoutError: CabinetError? = nil,
        closedError: CabinetError? = nil, create: @escaping @Sendable (_ number: Int) -> Resource
    ) {
        self.limit = max(limit, 1)
        self.idleLimit = max(idleLimit, 0)
        self.waitLimit = waitLimit
        self.timeoutError =
            timeoutError
            ?? CabinetError(
                .serviceUnavailable, "All resources were in use for too long. Try again.", retryAfterSeconds: 1)
        self.closedError = closedError ?? CabinetError(.serviceUnavailable, "The store was closed.")
        self.create = create
    }

    /// Takes a resource, which the caller returns with ``giveBack(_:)``.
    ///
    /// A task that is cancelled after the pool has granted it a resource still gets the resource.
    ///
    /// - Returns: A resource that no other task uses.
    /// - Throws: ``CabinetError/Code/operationCancelled`` if the task is cancelled while it waits, the pool's timeout error if no
    ///   resource is returned in time, and its error for closed pools.
    @inlinable public func take() async throws -> Resource {
        // Inlined, like the other parts that every call runs: generic code of another module takes several times as long.
        if let resource = state.withLock({ $0.isCalm ? $0.idle.popLast() : nil }) { return resource }
        return try await takeLater()
    }

    /// Creates a resource, or waits for one.
    @usableFromInline func takeLater() async throws -> Resource {
        switch try turn() {
        case .now(let resource): return resource
        case .later(let waiter): return try await wait(for: waiter)
        }
    }

    /// Returns a resource to the task that has waited longest, or to the idle resources.
    ///
    /// - Parameter resource: A resource that ``take()`` returned.
    @inlinable public func giveBack(_ resource: Resource) {
        let isIdle = state.withLock { state in
            guard state.isCalm, state.idle.count < idleLimit else { return false }
            state.idle.append(resource)
            return true
        }
        if !isIdle { handOver(resource) }
    }

    /// Returns a resource to a waiting task, to a pool that is closed, or to one that has enough idle resources.
    @usableFromInline func handOver(_ resource: Resource) {
        var closers: [Promise<Void>] = []
        let waiter: Waiter? = state.withLock { state in
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            if state.isClosed || state.idle.count < idleLimit {
                state.idle.append(resource)
            } else {
                state.count -= 1
            }
            if state.isClosed, state.idle.count == state.count { swap(&closers, &state.closers) }
            return nil
        }
        waiter?.promise.resolve(.success(resource))
        for closer in closers { closer.resolve(.success(())) }
    }

    /// Runs a closure with a resource that no other task uses.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the closure runs on, the caller's by default.
    ///   - body: The closure that uses the resource.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, and the errors of ``take()``.
    @inlinable public func withResource<Output>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Resource) async throws -> Output
    ) async throws -> Output {
        let resource = try await take()
        defer { giveBack(resource) }
        return try await body(resource)
    }

    /// Closes the pool: fails every task that waits or comes later, and waits until all resources are idle.
    ///
    /// - Returns: The resources, which no task uses any more; none if the pool was closed before.
    @discardableResult public func close() async -> [Resource] {
        let all = Promise<Void>()
        let waiters = state.withLock { state in
            state.isClosed = true
            if state.idle.count == state.count { all.resolve(.success(())) } else { state.closers.append(all) }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.promise.resolve(.failure(closedError)) }
        // Closers are never resolved with an error.
        try? await all.value()
        return state.withLock { state in
            defer { (state.idle, state.count) = ([], 0) }
            return state.idle
        }
    }

    /// The idle resources.
    package var idleResources: [Resource] { state.withLock(\.idle) }

    /// The number of resources ever created.
    var createdCount: Int { state.withLock(\.createdCount) }

    /// The number of waiting tasks.
    package var waiterCount: Int { state.withLock(\.waiters.count) }
}

// MARK: - Waiting

extension ResourcePool {
    /// Takes a resource, or a position in the queue, in which the caller must wait.
    func turn() throws -> Turn {
        let (turn, number) = try state.withLock { state -> (Turn?, Int) in
            if state.isClosed { throw closedError }
            // No resource is idle while a task waits.
            if let resource = state.idle.popLast() { return (.now(resource), 0) }
            if state.count < limit {
                state.count += 1
                state.createdCount += 1
                return (nil, state.createdCount)
            }
            let promise = Promise<Resource>()
            state.waiters.append(Waiter(promise: promise, deadline: waitLimit.map { .now + $0 }))
            return (.later(promise), 0)
        }
        return turn ?? .now(create(number))
    }

    private func wait(for promise: Promise<Resource>) async throws -> Resource {
        watch()
        return try await withTaskCancellationHandler {
            try await promise.value()
        } onCancel: {
            let isWaiting = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.promise === promise }) else { return false }
                state.waiters.remove(at: index)
                return true
            }
            if isWaiting { promise.resolve(.failure(Self.cancellation)) }
        }
    }

    /// Ends the waits that take too long, in one task for all of them: a timer for each would cost more than a short wait.
    private func watch() {
        let isFirst = state.withLock { state in
            defer { state.isWatched = true }
            return waitLimit != nil && !state.isWatched
        }
        guard isFirst else { return }
        Task.detached { [weak self] in
            while let deadline = self?.failLate() { try? await Task.sleep(until: deadline) }
        }
    }

    /// Ends the waits whose time is over.
    ///
    /// - Returns: The end of the next one; `nil` if no task waits any more.
    private func failLate() -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state in
            let late = state.waiters.prefix { $0.deadline.map { $0 <= now } ?? false }
            state.waiters.removeFirst(late.count)
            let next = state.waiters.first?.deadline
            state.isWatched = next != nil
            return (late, next)
        }
        for waiter in late { waiter.promise.resolve(.failure(timeoutError)) }
        return next
    }

    private static var cancellation: CabinetError {
        CabinetError(.operationCancelled, "The task was cancelled while it waited for its turn. Nothing has changed.")
    }
}

extension ResourcePool where Resource == Void {
    /// Creates a pool of permits, which limits the number of tasks that run something at the same time.
    ///
    /// - Parameters:
    ///   - permits: The maximum number of tasks.
    ///   - closedError: The error once the pool is closed.
    public convenience init(permits: Int, closedError: CabinetError? = nil) {
        self.init(limit: permits, closedError: closedError) { _ in }
    }
}
