import Cabinet
import Foundation
import Synchronization

/// The values that fetches and sends of one mirror share.
final class MirrorContext: Sendable {
    let store: MirrorStore
    let local: LocalDatabaseService
    let remote: Container
    let configuration: MirrorConfiguration
    let state = MirrorState()
    let now: @Sendable () -> Date
    private let lease: MirrorLease
    private let users = Mutex(0)
    private let fetches = AsyncLock()
    private let sends = AsyncLock()
    /// The records whose state a send has learned since the request for a page of changes; `nil` while no page is fetched.
    private let learned = Mutex<Set<RecordID>?>(nil)

    init(
        _ store: MirrorStore, _ local: LocalDatabaseService, _ remote: Container, _ configuration: MirrorConfiguration,
        now: @escaping @Sendable () -> Date
    ) {
        (self.store, self.local, self.remote, self.configuration, self.now) = (store, local, remote, configuration, now)
        lease = MirrorLease(holder: UUID(), duration: configuration.leaseDuration)
    }

    /// Sends a request to the server.
    func ask<Request: ServiceRequest>(_ request: Request) async throws -> Request.Response {
        try await remote.service.perform(request, for: remote.caller)
    }

    /// Applies changes that were fetched or sent, if this process has the lease.
    func apply(_ write: MirrorWrite) async throws {
        var write = write
        write.lease = lease
        try await store.apply(write)
        try await count()
    }

    /// Reads the numbers of pending changes for the status.
    func count() async throws {
        let requests = state.endedRequests
        state.count(try await store.counts(), after: requests)
    }

    /// Fetches, after a fetch that is under way.
    func fetch() async throws {
        try await fetches.withLock { try await withLease { try await MirrorFetch(self).run() } }
    }

    /// Sends, after a send that is under way.
    func send() async throws {
        try await sends.withLock {
            try await withLease {
                var send = MirrorSend(self)
                try await send.run()
            }
        }
    }

    /// Runs a fetch or a send while no other process does.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/operationCancelled`` if another process has the lease, with the time until its end.
    private func withLease(_ body: () async throws -> Void) async throws {
        if let seconds = try await store.take(lease) {
            throw CabinetError(
                .operationCancelled, "Another process fetches and sends for this store.", retryAfterSeconds: seconds)
        }
        users.withLock { $0 += 1 }
        do {
            try await body()
        } catch {
            await release()
            throw error
        }
        await release()
    }

    private func release() async {
        let isLast = users.withLock { users in
            users -= 1
            return users == 0
        }
        // Otherwise, the lease ends by itself.
        if isLast { try? await store.release(lease) }
    }
}

extension MirrorContext {
    /// Begins to record what sends learn, before a page of changes is requested.
    func beginPage() { learned.withLock { $0 = [] } }

    /// Ends to record it.
    func endPages() { learned.withLock { $0 = nil } }

    /// Records that a send has learned the state of records.
    func learn(_ ids: some Sequence<RecordID>) { learned.withLock { $0?.formUnion(ids) } }

    /// Whether a send has learned the state of one of the records since the request of a page, which may have an older state of it.
    func isOutdated(_ ids: some Sequence<RecordID>) -> Bool {
        learned.withLock { learned in ids.contains { learned?.contains($0) ?? false } }
    }
}

extension CabinetError {
    /// Whether the same request may succeed later, without a change of the program or its user.
    var isTransient: Bool {
        switch code {
        case .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .zoneBusy,
            .serverResponseLost, .accountTemporarilyUnavailable, .notAuthenticated, .operationCancelled, .quotaExceeded:
            true
        default: retryAfterSeconds != nil
        }
    }

    /// Whether another record may be the reason, such as the missing target of a reference.
    var isByOthers: Bool {
        code == .referenceViolation || code == .constraintViolation || code == .batchRequestFailed
    }

    /// Returns an error as one of Cabinet.
    static func wrapping(_ error: any Error) -> CabinetError {
        error as? CabinetError ?? CabinetError(.internalError, "\(error)", underlyingError: error)
    }
}
