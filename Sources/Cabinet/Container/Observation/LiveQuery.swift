/// A query whose result is kept up to date while it is observed.
///
/// The query merges the changes that the service returns into its result. It runs again only if they are not known, or if the new
/// result does not follow from them.
///
/// This is a class, because copying so large a value would add code to every type that holds one.
final class LiveQuery<Source: LiveSource> {
    private let client: ServiceClient
    private let source: Source
    private var signals: AsyncStream<Void>.Iterator
    private var hasBegun = false
    /// The last result; `nil` at first, and after an error.
    private var value: Source.State.Value?
    /// The last result in the form that changes are merged into; `nil` if the service does not return changes.
    private var state: Source.State?
    /// The reason for which the last call returned no result.
    private(set) var ending: ObservationEnding?

    init(client: ServiceClient, source: Source) throws {
        self.client = client
        self.source = source
        // The signals begin before the first read, so that no change between the two is lost.
        signals = try client.signals(of: [source.scope]).makeAsyncIterator()
    }

    /// Waits for the next result: at first the current one, and then a new one whenever it has changed.
    ///
    /// After an error, the next call runs the query again.
    ///
    /// - Returns: The result; `nil` once the service is closed or the task is cancelled.
    func next() async throws -> Source.Element? {
        if case .failed? = ending { ending = nil }
        do {
            if ending == nil, let value = try await nextValue() {
                return try await source.element(of: value, state, from: client)
            }
        } catch {
            if Task.isCancelled {
                ending = .cancelled
            } else if await client.isClosed {
                ending = .closed
            } else {
                ending = .failed(error as? CabinetError ?? CabinetError(.internalError, "\(error)"))
                (value, state) = (nil, nil)
                throw error
            }
        }
        ending = ending ?? (Task.isCancelled ? .cancelled : .closed)
        (value, state) = (nil, nil)
        return nil
    }

    private func nextValue() async throws -> Source.State.Value? {
        if value == nil {
            // The stream begins with a signal, unless the service is closed.
            if !hasBegun, await signals.next(isolation: #isolation) == nil { return nil }
            hasBegun = true
            try await load(after: nil)
            return value
        }
        while await signals.next(isolation: #isolation) != nil, !Task.isCancelled {
            if try await updateOnceConnected() { return value }
        }
        return nil
    }

    /// Merges the changes into the result, and tries again while the service cannot be reached.
    ///
    /// A signal stands for changes that no later one may repeat.
    ///
    /// - Returns: Whether the result has changed.
    private func updateOnceConnected() async throws -> Bool {
        var delay = 0.1
        while true {
            do {
                return try await update()
            } catch let error as CabinetError where error.code.isOfConnection {
                guard await signalsGoOn(for: .seconds(delay)) else { return false }
            }
            delay = min(delay * 2, 5)
        }
    }

    /// Waits for a time, or until the signals of the database end because the service or its store is closed.
    ///
    /// The signals are those of another stream, because the query's own would end with the wait.
    ///
    /// - Returns: Whether the signals go on, and the task was not cancelled.
    private func signalsGoOn(for delay: Duration) async -> Bool {
        let signals = try? client.signals(of: [source.scope])
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                try? await Task.sleep(for: delay)
                return !Task.isCancelled
            }
            if let signals {
                group.addTask {
                    for await _ in signals {}
                    return false
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Merges the changes into the result, or loads it again.
    ///
    /// - Returns: Whether the result has changed.
    private func update() async throws -> Bool {
        guard let old = value else {
            try await load(after: nil)
            return true
        }
        // Release these references, so that the result is changed in place. After an error the result is unknown.
        let known = state
        (value, state) = (nil, nil)
        var stale: Source.State?
        if let known {
            let changes = try await Self.retryingWhileBusy {
                try await client.perform(source.changes(since: known.basis))
            }
            switch try await merge(changes, into: known) {
            case .unchanged:
                value = old
                return false
            case .changed: return true
            case .stale: (stale, state) = (state, nil)
            }
        }
        try await Self.retryingWhileBusy { try await load(after: stale) }
        return value != old
    }

    private func merge(
        _ changes: FetchLiveChangesRequest.Response, into old: consuming Source.State
    ) async throws -> MergeOutcome {
        var merged = old
        let meter = WorkMeter(limit: Limits.default.workPerRequest, observesTask: true)
        let outcome = try WorkMeter.$current.withValue(meter) { try merged.merge(changes) }
        if outcome != .changed {
            state = merged
            return outcome
        }
        state = try await Self.retryingWhileBusy { [merged] in try await source.completed(merged, from: client) }
        value = state?.value
        return state == nil ? .stale : .changed
    }

    private func load(after old: Source.State?) async throws {
        (value, state) = try await source.load(from: client, after: old)
    }

    /// Runs a closure, and retries while another program locks the store.
    private static func retryingWhileBusy<Output>(_ body: () async throws -> Output) async throws -> Output {
        while true {
            do {
                return try await body()
            } catch CabinetError.Code.zoneBusy {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}

extension CabinetError.Code {
    /// Whether the service cannot be reached for now.
    fileprivate var isOfConnection: Bool {
        [.serviceUnavailable, .networkUnavailable, .networkFailure].contains(self)
    }
}

/// The reason for which an observation ended.
public enum ObservationEnding: Sendable {
    /// The task that waited was cancelled.
    case cancelled
    /// The container, or its service, was closed.
    case closed
    /// The query failed with an error, which was thrown; the next call runs it again.
    case failed(CabinetError)
}
