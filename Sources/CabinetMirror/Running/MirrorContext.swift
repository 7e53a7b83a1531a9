import Cabinet
import Foundation
import Synchronization

/// The values that fetches and sends of one database of a mirror share.
final class MirrorContext: Sendable {
    /// The database of the server.
    let scope: DatabaseScope
    let store: MirrorStore
    /// The service whose private database is the local copy.
    let local: LocalDatabaseService
    let remote: Container
    let configuration: MirrorConfiguration
    let state: MirrorState
    let now: @Sendable () -> Date
    let assets: MirrorAssetCache
    private let lease: MirrorLease
    private let users = Mutex(0)
    private let hasSubscribed = Mutex(false)
    private let ownership = MirrorOwnership()
    private let comparesAll = Mutex(true)
    private let mayReread = Mutex(true)
    private let fetches = AsyncLock()
    private let sends = AsyncLock()
    private let assetFetches = AsyncLock()
    /// The records that sends have learned of while a page of changes was fetched.
    let sendLearning = MirrorLearning()
    /// The records that fetches have learned of while a send has read records again.
    let fetchLearning = MirrorLearning()
    /// The records that were learned of since each request of the program to save on the server.
    private let saves = Mutex<[MirrorLearning]>([])

    init(
        _ scope: DatabaseScope, _ store: MirrorStore, _ local: LocalDatabaseService, _ remote: Container,
        _ configuration: MirrorConfiguration, _ state: MirrorState, now: @escaping @Sendable () -> Date
    ) {
        (self.scope, self.store, self.local, self.remote) = (scope, store, local, remote)
        (self.configuration, self.state, self.now) = (configuration, state, now)
        assets = MirrorAssetCache(store, remote, scope, configuration.assets)
        lease = MirrorLease(holder: UUID(), duration: configuration.leaseDuration)
    }

    /// Sends a request to the server.
    func ask<Request: ServiceRequest>(_ request: Request) async throws -> Request.Response {
        try await remote.service.perform(request, for: remote.caller)
    }

    /// Reads records of the server, in several requests if one answer cannot hold them.
    ///
    /// - Parameters:
    ///   - ids: The IDs.
    ///   - desiredKeys: The fields to fetch; `nil` for all.
    /// - Returns: The records or errors in the order of the IDs.
    func records(
        _ ids: [RecordID], desiredKeys: [Record.FieldKey]? = nil
    ) async throws -> [Result<Record, CabinetError>] {
        if ids.isEmpty { return [] }
        var request = FetchRecordsRequest(in: scope)
        (request.recordIDs, request.desiredKeys) = (ids, desiredKeys)
        do {
            return try await ask(request).results
        } catch let error as CabinetError where error.code == .limitExceeded && ids.count > 1 {
            let half = ids.count / 2
            return try await records(Array(ids[..<half]), desiredKeys: desiredKeys)
                + records(Array(ids[half...]), desiredKeys: desiredKeys)
        }
    }

    /// Applies changes that were fetched or sent, if this process has the lease.
    ///
    /// - Returns: `nil` if they were outdated, and nothing was changed.
    @discardableResult
    func apply(_ write: MirrorWrite) async throws -> MirrorOutcome? {
        var write = write
        write.lease = lease
        guard let outcome = try await applyWithoutLease(write) else { return nil }
        if let hasRereads = outcome.hasRereads { self.hasRereads = hasRereads }
        return outcome
    }

    private func applyWithoutLease(_ write: MirrorWrite) async throws -> MirrorOutcome? {
        let requests = state.endedRequests(in: scope)
        guard let outcome = try await store.apply(write) else { return nil }
        state.count(outcome.pending, in: scope, after: requests)
        return outcome
    }

    /// Records that assets of records need not be fetched any more.
    func endAssets(of records: [WantedAssets]) async throws {
        var write = MirrorWrite()
        write.endedAssets = records
        _ = try await applyWithoutLease(write)
    }

    /// Changes what is known of a zone.
    func change(_ id: RecordZone.ID, _ change: @escaping @Sendable (inout MirrorZone) -> Void) async throws {
        var write = MirrorWrite()
        write.zone = (id, change)
        try await apply(write)
    }

    /// Applies what a fetch has learned of records.
    ///
    /// - Returns: `false` if a send has learned something of them since the request, so that it is repeated.
    func applyFetched(_ write: MirrorWrite) async throws -> Bool {
        try await apply(write, learnedBy: fetchLearning, unlessBy: sendLearning) != nil
    }

    /// Applies what a send has learned of records.
    ///
    /// - Returns: `nil` if a fetch has learned something of them since they were read again.
    func applySent(_ write: MirrorWrite) async throws -> MirrorOutcome? {
        try await apply(write, learnedBy: sendLearning, unlessBy: fetchLearning)
    }

    private func apply(
        _ write: MirrorWrite, learnedBy own: MirrorLearning, unlessBy other: MirrorLearning
    ) async throws -> MirrorOutcome? {
        let ids = write.events.map(\.recordID)
        for learning in saves.withLock(\.self) + [own] { learning.add(ids) }
        var write = write
        write.isOutdated = { other.has(ids) }
        return try await apply(write)
    }

    /// Reads records of the server during a send and applies them, again if a fetch has applied something of them in between.
    ///
    /// - Parameter body: Reads and applies; returns `nil` if the records were outdated.
    func reading<Result>(_ body: () async throws -> Result?) async throws -> Result {
        defer { fetchLearning.end() }
        while true {
            try Task.checkCancellation()
            fetchLearning.begin()
            if let result = try await body() { return result }
        }
    }

    /// Saves records of the public database on the server, and stores those that are mirrored.
    ///
    /// The next read finds them here, and no page that was asked for before. A failure to store them is not one of the save: the next
    /// fetch returns the records too.
    func keeping(
        _ request: ModifyRecordsRequest, _ save: () async throws -> ModifyRecordsRequest.Response
    ) async throws -> ModifyRecordsRequest.Response {
        let own = MirrorLearning()
        own.begin()
        saves.withLock { saves in
            // Of two saves at once, the server may carry out either one last, also the one that gets no answer.
            for save in saves { save.add(request.recordsToSave.map(\.recordID) + request.recordIDsToDelete) }
            saves.append(own)
        }
        defer { saves.withLock { saves in saves.removeAll { $0 === own } } }
        let response = try await save()
        try? await keep(response.saveResults.compactMap { try? $0.get() }, learnedBy: own)
        return response
    }

    /// Stores records that the server has saved, or what it has by now if something else was learned of them since the request.
    private func keep(_ records: [Record], learnedBy own: MirrorLearning) async throws {
        var write = MirrorWrite()
        write.events = records.filter(configuration.selection.includesPublic).map(MirrorEvent.saved)
        if write.events.isEmpty { return }
        let ids = write.events.map(\.recordID)
        write.isOutdated = { own.has(ids) }
        // A record that changes again and again is left to the next fetch.
        for _ in 0..<10 {
            let others = saves.withLock { $0.filter { $0 !== own } }
            for learning in others + [sendLearning, fetchLearning] { learning.add(ids) }
            if try await store.apply(write) != nil { return try await count() }
            own.begin()
            write.events = try await MirrorQueryFetch(self).read(ids)
        }
    }

    /// Reads the numbers of pending changes for the status.
    func count() async throws {
        let requests = state.endedRequests(in: scope)
        state.count(try await store.pendingState(), in: scope, after: requests)
    }

    /// Whether the server recognizes a request that is sent again, and compares the versions of records to delete, as far as is known.
    ///
    /// CloudKit does neither, and sends no assets with the server's record of a conflict.
    var serverComparesAll: Bool {
        get { comparesAll.withLock { $0 } }
        set { comparesAll.withLock { $0 = newValue } }
    }

    /// Whether a fetch has brought records while changes of them were on the way, as the last answer of a send says.
    var hasRereads: Bool {
        get { mayReread.withLock { $0 } }
        set { mayReread.withLock { $0 = newValue } }
    }

    /// Saves the subscriptions of the mirror, once for each process.
    func subscribeOnce(_ body: () async throws -> Void) async throws {
        if hasSubscribed.withLock({ $0 }) { return }
        try await body()
        hasSubscribed.withLock { $0 = true }
    }

    /// Answers a request to the local copy, which is a private database.
    func answer<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        guard Request.effect != .none else { return try await local.perform(request, for: caller) }
        state.beginChange(in: scope)
        defer { state.endChange(in: scope) }
        return try await local.perform(request, for: caller)
    }

    /// Fetches, after a fetch that is under way.
    func fetch() async throws {
        try await fetches.withLockUnlessCancelled {
            try await withLease {
                state.fetched(0, in: scope)
                defer {
                    sendLearning.end()
                    state.fetched(nil, in: scope)
                }
                if scope == .public {
                    try await MirrorQueryFetch(self).run()
                } else {
                    try await MirrorFetch(self).run()
                }
            }
        }
    }

    /// Fetches the assets of fetched records, if the program wants them at once, after another such fetch that is under way.
    ///
    /// It holds neither the lock nor the lease of a fetch, so the changes of other devices do not wait for it.
    func fetchAssets() async throws {
        // Another server would be asked for records that it does not have.
        guard configuration.assets.fetching == .atOnce, ownership.isChecked else { return }
        try await assetFetches.withLockUnlessCancelled {
            var fetch = MirrorAssetFetch(self)
            try await fetch.run()
        }
    }

    /// Sends, after a send that is under way.
    func send() async throws {
        try await sends.withLockUnlessCancelled {
            try await withLease {
                var send = MirrorSend(self)
                try await send.run()
            }
        }
    }

    /// Runs a fetch or a send while no other process does.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/zoneBusy`` if another process has the lease, with the time until its end.
    private func withLease(_ body: () async throws -> Void) async throws {
        if let seconds = try await store.take(lease) {
            throw CabinetError(
                .zoneBusy, "Another process fetches and sends for this store.", retryAfterSeconds: seconds)
        }
        users.withLock { $0 += 1 }
        do {
            try await ownership.check(self, holding: lease)
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
        if isLast { await store.end(lease) }
    }

    /// Cancels copies of assets and returns the lease, before the local store is closed.
    func stop() async {
        await assets.cancelCopies()
        // A fetch or send of the program cannot return it once the store is closed.
        if users.withLock({ $0 > 0 }) { await store.end(lease) }
    }
}

extension MirrorStore {
    /// Calls a closure with the IDs of the local records of a zone, page by page, except for those that change in between.
    func forEachPage(in zoneID: RecordZone.ID, _ body: ([RecordID]) async throws -> Void) async throws {
        let last = try await lastNumber()
        var number: Int64? = 0
        while let start = number {
            try Task.checkCancellation()
            let page = try await recordIDs(in: zoneID, after: start, through: last, limit: 200)
            try await body(page.ids)
            number = page.next
        }
    }

    /// Returns the lease if it is this process's, also if the task is cancelled.
    ///
    /// If that fails, the lease ends by itself.
    func end(_ lease: MirrorLease) async {
        await OwnTasks.finish { try await self.release(lease) }
    }
}

extension CabinetError {
    /// Whether the same request may succeed later, without a change of the program or its user.
    var isTransient: Bool {
        // Neither a quota nor a server without the container is the record's fault: the user pays, or the operator repairs it.
        RetryRule.isTemporary(code) || code == .quotaExceeded || code == .badContainer || retryAfterSeconds != nil
    }

    /// Whether a record does not exist for the user, also because the user may no longer read it.
    var hidesRecord: Bool { code == .unknownItem || code == .permissionFailure }

    /// Whether another record may be the reason, such as the missing target of a reference.
    var isByOthers: Bool {
        code == .referenceViolation || code == .constraintViolation || code == .batchRequestFailed
    }

    /// Returns an error as one of Cabinet.
    static func wrapping(_ error: any Error) -> CabinetError {
        error as? CabinetError ?? CabinetError(.internalError, "\(error)", underlyingError: error)
    }
}
