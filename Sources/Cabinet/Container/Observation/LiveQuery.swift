/// A query whose result is kept up to date while it is observed.
///
/// The query merges the changes that the service returns into its result. It runs again only if they are not known, or if the new
/// result does not follow from them.
///
/// This is a class, because copying so large a value would add code to every type that holds one.
final class LiveQuery {
    private let client: ServiceClient
    private let request: QueryRecordsRequest
    private var signals: AsyncStream<Void>.Iterator
    private var hasBegun = false
    /// The last result; `nil` at first, and after an error.
    private var records: [Record]?
    /// The last result in the form that changes are merged into; `nil` if the service does not return changes.
    private var result: LiveResult?
    /// The reason for which the last call returned no result.
    private(set) var ending: ObservationEnding?

    init(client: ServiceClient, request: QueryRecordsRequest) throws {
        self.client = client
        var request = OwnerRule(user: client.userRecordName).canonical(request)
        request.observes = true
        request.resultsLimit = .max
        self.request = request
        // The signals begin before the first read, so that no change between the two is lost.
        signals = try client.signals(of: [request.scope]).makeAsyncIterator()
    }

    /// Waits for the next result: at first the current one, and then a new one whenever it has changed.
    ///
    /// After an error, the next call runs the query again.
    ///
    /// - Returns: The records with the requested fields; `nil` once the service is closed or the task is cancelled.
    func next() async throws -> [Record]? {
        if case .failed? = ending { ending = nil }
        do {
            if ending == nil, let records = try await nextRecords() {
                let records = records.trimmed(to: request.desiredKeys)
                if result?.plan.fields.hasAssets == false { return records }
                // The asset of a record that was deleted since has no file; the next result omits the record.
                return try await client.addingFiles(to: records, in: request.scope)
            }
        } catch {
            if Task.isCancelled {
                ending = .cancelled
            } else if await client.isClosed {
                ending = .closed
            } else {
                ending = .failed(error as? CabinetError ?? CabinetError(.internalError, "\(error)"))
                throw error
            }
        }
        ending = ending ?? (Task.isCancelled ? .cancelled : .closed)
        (records, result) = (nil, nil)
        return nil
    }

    private func nextRecords() async throws -> [Record]? {
        if records == nil {
            // The stream begins with a signal, unless the service is closed.
            if !hasBegun, await signals.next(isolation: #isolation) == nil { return nil }
            hasBegun = true
            try await load()
            return records
        }
        while await signals.next(isolation: #isolation) != nil, !Task.isCancelled {
            do {
                if try await update() { return records }
            } catch CabinetError.Code.serviceUnavailable {
                // If the backend was closed, the signals end; otherwise another one follows.
            }
        }
        return nil
    }

    /// Merges the changes into the result, or loads it again.
    ///
    /// - Returns: Whether the result has changed.
    private func update() async throws -> Bool {
        guard let old = records else {
            try await load()
            return true
        }
        // Release these references, so that the records are changed in place. After an error the result is unknown.
        let result = self.result
        (records, self.result) = (nil, nil)
        if let result {
            let changes = try await Self.retryingWhileBusy {
                try await client.perform(request.changes(since: result.basis))
            }
            switch try merge(changes, into: result) {
            case .unchanged:
                records = old
                return false
            case .changed: return true
            case .stale: break
            }
        }
        try await Self.retryingWhileBusy { try await load() }
        return records != old
    }

    private func merge(
        _ changes: FetchLiveChangesRequest.Response, into old: consuming LiveResult
    ) throws -> MergeOutcome {
        var result = old
        let meter = WorkMeter(limit: Limits.default.workPerRequest, observesTask: true)
        let outcome = try WorkMeter.$current.withValue(meter) { try result.merge(changes) }
        if outcome == .changed { records = result.records.map { Record($0) } }
        self.result = result
        return outcome
    }

    private func load() async throws {
        let response = try await client.perform(request)
        records = response.records
        result = try response.basis.flatMap { try LiveResult(request, response.records, $0) }
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

extension QueryRecordsRequest {
    fileprivate func changes(since basis: LiveBasis) -> FetchLiveChangesRequest {
        FetchLiveChangesRequest(scope: scope, recordType: query.recordType, zoneID: zoneID, basis: basis)
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
