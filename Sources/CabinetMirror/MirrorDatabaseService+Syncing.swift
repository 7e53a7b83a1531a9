public import Cabinet

extension MirrorDatabaseService {
    /// The current status.
    public var status: MirrorStatus { state.status }

    /// Reads the numbers of pending changes from the store, and returns the status.
    ///
    /// ``status`` knows what this process has read.
    ///
    /// - Throws: The errors of the local store.
    public func readStatus() async throws -> MirrorStatus {
        for context in contexts { try await context.count() }
        return status
    }

    /// The statuses from now on, beginning with the current one.
    ///
    /// A reader that is busy gets the latest one.
    public var statuses: AsyncStream<MirrorStatus> { state.statuses() }

    /// The databases that are mirrored.
    public var databaseScopes: [DatabaseScope] { contexts.map(\.scope) }

    /// Fetches the changes of the server, and then the assets that ``MirrorAssets/Fetching/atOnce`` fetches.
    ///
    /// Without an error, the program can go offline: the assets are here, as far as they fit and the server has them. While they are copied,
    /// the records can be read already, and other calls fetch further ones.
    ///
    /// - Throws: The errors of the network and of the server, also those of an asset, which the next call fetches, and
    ///   ``/Cabinet/CabinetError/Code/quotaExceeded`` if the disk is full.
    ///   ``/Cabinet/CabinetError/Code/zoneBusy`` while another process fetches or sends, with the time until its lease ends.
    ///   ``/Cabinet/CabinetError/Code/operationCancelled`` if the task is cancelled.
    ///   ``/Cabinet/CabinetError/Code/badContainer`` if the local store belongs to another server.
    public func fetchChanges() async throws {
        try await translatingCancellation {
            do {
                try await contexts.forEachTrying { try await $0.fetch() }
            } catch let error as CabinetError where !error.isTransient {
                // A zone that cannot be fetched must not keep the assets of the others away.
                try? await contexts.forEachTrying { try await $0.fetchAssets() }
                throw error
            }
            try await contexts.forEachTrying { try await $0.fetchAssets() }
        }
    }

    /// Sends the pending changes.
    ///
    /// A change that the server refuses for good is set aside, which is not an error of this call.
    ///
    /// - Throws: The errors of the network and of the server, ``/Cabinet/CabinetError/Code/zoneBusy`` while another process fetches or
    ///   sends, with the time until its lease ends, and ``/Cabinet/CabinetError/Code/operationCancelled`` if the task is cancelled.
    ///   ``/Cabinet/CabinetError/Code/badContainer`` if the local store belongs to another server.
    public func sendChanges() async throws {
        try await translatingCancellation { try await contexts.forEachTrying { try await $0.send() } }
    }

    private func translatingCancellation(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch is CancellationError {
            throw CabinetError(
                .operationCancelled,
                "The task was cancelled while changes were fetched or sent. The next call continues.")
        }
    }

    /// Returns changes that were not sent.
    ///
    /// - Parameters:
    ///   - scope: The database, one of ``databaseScopes``.
    ///   - id: The record after which to begin, in the order of the result; `nil` for the beginning.
    ///   - limit: The maximum number of changes.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` for a database that is not mirrored, and the errors of the local store.
    public func pendingChanges(
        in scope: DatabaseScope = .private, after id: RecordID? = nil, limit: Int = 200
    ) async throws -> [MirrorChange] {
        let store = try copy(of: scope).store
        return try await changes(try await store.pending(after: id, limit: limit), in: scope, store)
    }

    /// Returns the change of a record that was not sent; `nil` if none is pending.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - scope: The database, one of ``databaseScopes``.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` for a database that is not mirrored, and the errors of the local store.
    public func pendingChange(of id: RecordID, in scope: DatabaseScope = .private) async throws -> MirrorChange? {
        let store = try copy(of: scope).store
        return try await changes(Array(try await store.pending([id]).values), in: scope, store).first
    }

    private func changes(
        _ pending: [PendingRecord], in scope: DatabaseScope, _ store: MirrorStore
    ) async throws -> [MirrorChange] {
        let refused = try await store.refusedZones()
        var changes: [MirrorChange] = []
        for item in pending {
            let targets = try await store.pending(item.targets)
            let effect = item.change.effect.flatMap { $0.isCarriedOut ? nil : $0 }
            let blocking =
                effect?.cause
                ?? item.targets.first { targets[$0].map { $0.change.ancestor == nil || $0.replacesType } ?? false }
            changes.append(
                MirrorChange(
                    item, in: scope, waitingFor: blocking, zoneError: refused[item.change.recordID.zoneID]))
        }
        return changes
    }

    /// Sends changes again that were set aside, over the version that the server has.
    ///
    /// A zone that the server has deleted is created again, and one that it has refused to create is sent again. The changes
    /// of a zone whose share has ended wait until it is shared again.
    ///
    /// - Parameters:
    ///   - ids: The records.
    ///   - scope: The database, one of ``databaseScopes``.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` for a database that is not mirrored, and the errors of the local store.
    public func retry(_ ids: [RecordID], in scope: DatabaseScope = .private) async throws {
        let context = try copy(of: scope)
        let pending = try await context.store.pending(ids)
        var write = MirrorWrite()
        write.events = pending.keys.map(MirrorEvent.retried)
        try await context.store.apply(write)
        let refused = try await context.store.refusedZones()
        let held = pending.values.filter {
            $0.change.error?.isOfZone == true || refused[$0.change.recordID.zoneID] != nil
        }
        let zoneIDs = scope == .private ? Set(held.map(\.change.recordID.zoneID)) : []
        // The default zone is sent if it has keys of encrypted values.
        for id in zoneIDs where id != .default || refused[id] != nil {
            var write = MirrorWrite()
            write.zone = (
                id,
                { zone in
                    zone.change = zone.change ?? .save
                    (zone.isLost, zone.error) = (false, nil)
                }
            )
            try await context.store.apply(write)
        }
        try await context.count()
        wakeSend()
    }

    /// Drops changes that were not sent: the records have the server's content again, and are deleted if the server has none.
    ///
    /// A deleted record returns with what its deletion has deleted or changed here.
    ///
    /// - Parameters:
    ///   - ids: The records.
    ///   - scope: The database, one of ``databaseScopes``.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` for a database that is not mirrored, and the errors of the local store.
    public func discard(_ ids: [RecordID], in scope: DatabaseScope = .private) async throws {
        let context = try copy(of: scope)
        let pending = try await context.store.pending(ids)
        var write = MirrorWrite()
        write.events = pending.keys.map(MirrorEvent.discarded)
        try await context.store.apply(write)
        let lost = Set(try await context.store.zones().filter(\.isLost).map(\.zoneID))
        write.events = pending.keys.filter { lost.contains($0.zoneID) }.map(MirrorEvent.deleted)
        try await context.store.apply(write)
        for zone in try await context.store.zones() where zone.isLost {
            do {
                try await context.store.change(creating: [], deleting: [zone.zoneID])
            } catch CabinetError.Code.zoneBusy {
                continue
            }
            var write = MirrorWrite()
            write.zone = (zone.zoneID, { $0 = MirrorZone(zoneID: zone.zoneID) })
            try await context.store.apply(write)
        }
        try await context.count()
        wakeSend()
    }

    private func copy(of scope: DatabaseScope) throws(CabinetError) -> MirrorContext {
        if let context = context(of: scope) { return context }
        throw CabinetError(
            .invalidArguments, "The \(scope) database is not mirrored. MirrorSelection says which databases are.")
    }
}

extension CabinetError {
    /// Whether the zone of the record has vanished from the server.
    fileprivate var isOfZone: Bool { code == .zoneNotFound || code == .userDeletedZone }
}

/// A change of a record that was not sent.
public struct MirrorChange: Sendable {
    /// The database.
    public let databaseScope: DatabaseScope

    /// The record's ID.
    public let recordID: RecordID

    /// The local record; `nil` if the change deletes it.
    public let record: Record?

    /// The server's record that the change is based on; `nil` if the server has none.
    public let serverRecord: Record?

    /// The error for which the change is set aside, its own or that of its zone's creation; `nil` while it will be sent.
    public let error: CabinetError?

    /// Whether the change is one of the server, ``serverRecord``, which the local store cannot hold, such as one with a field of another
    /// type; ``error`` says why.
    ///
    /// ``MirrorDatabaseService/retry(_:in:)`` applies it again, and ``MirrorDatabaseService/discard(_:in:)`` keeps the local record until the
    /// server's changes again.
    public let isIncoming: Bool

    /// A record whose change must be sent first: one that this record refers to, or has referred to until it was deleted here; `nil` for
    /// none.
    ///
    /// A change that only the deletion of that record has made is not sent: the server's delete rules make it, or it is reverted
    /// if the other record returns.
    public let waitingFor: RecordID?

    init(_ item: PendingRecord, in scope: DatabaseScope, waitingFor: RecordID?, zoneError: CabinetError?) {
        databaseScope = scope
        recordID = item.change.recordID
        record = item.record
        serverRecord = item.change.ancestor
        error = item.change.error ?? zoneError
        isIncoming = item.change.isIncoming
        self.waitingFor = waitingFor
    }
}
