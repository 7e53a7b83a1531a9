import Synchronization

/// The remaining work of one request, and the cancellation of its task.
///
/// The core creates a meter for each request, and each ``QueryPlan`` has that of its request. The evaluator spends units on it. So
/// does a backend with an engine of its own, which also ends its work when the meter is cancelled:
///
/// ```swift
/// for row in table {
///     try plan.meter?.spend(1)
///     // …
/// }
/// ```
///
/// ``Limits/workPerRequest`` defines the unit.
public final class WorkMeter: Sendable {
    /// The meter of the request that the current task works for; `nil` outside of requests.
    ///
    /// It is the meter of the plan, for code that has none, such as the functions of filters.
    @TaskLocal package static var current: WorkMeter?

    /// The units that a request may spend by default; see ``Limits/defaultWorkPerRequest``.
    static let defaultLimit = 100_000_000

    /// The units that may be spent; `nil` for any number.
    private let limit: Int?
    private let spent = Atomic<Int>(0)
    private let hasBeenCancelled = Atomic<Bool>(false)
    private let handlers = Mutex(CancellationHandlers())
    /// Whether the current task is asked too, because ``cancel()`` is never called.
    private let observesTask: Bool

    package init(limit: Int?, observesTask: Bool = false) {
        self.limit = limit
        self.observesTask = observesTask
    }

    /// The units that were spent so far.
    package var spentUnits: Int { spent.load(ordering: .relaxed) }

    /// Begins with the full budget again.
    func restart() { spent.store(0, ordering: .relaxed) }

    /// Makes every later use of the meter throw ``CabinetError/Code/operationCancelled``.
    package func cancel() {
        hasBeenCancelled.store(true, ordering: .sequentiallyConsistent)
        for handler in handlers.withLock({ Array($0.handlers.values) }) { handler() }
    }

    /// Runs a closure that blocks, and a handler if the meter is cancelled before or during that.
    ///
    /// - Parameters:
    ///   - handler: A closure that ends the wait; it may run more than once, on any thread.
    ///   - body: The closure that blocks.
    public func withCancellationHandler<Output>(
        _ handler: @escaping @Sendable () -> Void, _ body: () throws -> Output
    ) rethrows -> Output {
        let id = handlers.withLock { $0.add(handler) }
        defer { handlers.withLock { $0.handlers[id] = nil } }
        // It may have been cancelled before the handler was added.
        if hasBeenCancelled.load(ordering: .sequentiallyConsistent) { handler() }
        return try body()
    }

    /// Runs a closure that waits without blocking, and a handler if the meter is cancelled before or during that.
    ///
    /// - Parameters:
    ///   - handler: A closure that ends the wait; it may run more than once, on any thread.
    ///   - body: The closure that waits.
    public func withCancellationHandler<Output>(
        _ handler: @escaping @Sendable () -> Void, _ body: () async throws -> Output
    ) async rethrows -> Output {
        let id = handlers.withLock { $0.add(handler) }
        defer { handlers.withLock { $0.handlers[id] = nil } }
        // It may have been cancelled before the handler was added.
        if hasBeenCancelled.load(ordering: .sequentiallyConsistent) { handler() }
        return try await body()
    }

    /// Records work.
    ///
    /// - Parameter units: The units of work; one is about the comparison of a record with a simple filter.
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the budget is spent, and ``CabinetError/Code/operationCancelled``.
    public func spend(_ units: Int) throws(CabinetError) {
        try checkCancellation()
        let total = spent.wrappingAdd(units, ordering: .relaxed).newValue
        if let limit, total > limit { throw Self.exhausted(limit) }
    }

    /// Throws ``CabinetError/Code/operationCancelled`` if the request's task was cancelled.
    public func checkCancellation() throws(CabinetError) {
        if isCancelled { throw Self.cancellation }
    }

    /// Whether the request's task was cancelled.
    public var isCancelled: Bool {
        hasBeenCancelled.load(ordering: .relaxed) || observesTask && Task.isCancelled
    }

    /// Records work of the current request, unless it is too small to count.
    package static func spend(_ units: Int) throws(CabinetError) {
        if units >= Self.worthwhileUnits, let current { try current.spend(units) }
    }

    /// The least number of units that is recorded; fewer count as part of the comparison.
    static let worthwhileUnits = 64

    private static func exhausted(_ limit: Int) -> CabinetError {
        CabinetError(
            .limitExceeded,
            "The request took more than \(limit) units of work. Simplify its filter, add an index or a comparison that an index "
                + "answers, or raise 'workPerRequest' in the container's limits.")
    }

    package static let cancellation = CabinetError(
        .operationCancelled, "The task was cancelled before the request was done. Nothing was changed.")
}

/// The closures that run when a meter is cancelled.
private struct CancellationHandlers {
    var handlers: [UInt64: @Sendable () -> Void] = [:]
    private var lastID: UInt64 = 0

    mutating func add(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        lastID += 1
        handlers[lastID] = handler
        return lastID
    }
}
