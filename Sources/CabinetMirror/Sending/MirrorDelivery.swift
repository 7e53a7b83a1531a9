import Cabinet
import Foundation

/// Sends requests, and applies their answers.
struct MirrorDelivery {
    private let context: MirrorContext
    /// The maximum number of records of a request, which a server may lower.
    private(set) var batchSize: Int
    /// The pass that forms the next request; `nil` for a request of an earlier send.
    var pass: MirrorPass?
    /// The changes that failed because of other records, with the numbers that they had when they were sent.
    var blocked: [RecordID: (number: Int64?, error: CabinetError)] = [:]
    /// Whether a request was cancelled, so that its changes are sent in other requests.
    var isUnfinished = false
    /// The request to send after the current one, which is stored with its answer.
    private(set) var next: MirrorBatch?
    /// The ID of the request that is stored, if this send has stored it.
    private var storedID: UUID?
    /// The versions of the store since the records to send were read, as far as only this send has changed it.
    private var unchanged = MirrorVersions()

    init(_ context: MirrorContext) {
        self.context = context
        batchSize = max(context.configuration.batchSize, 1)
    }

    /// Sends a request, and applies the answer.
    ///
    /// - Returns: The number of changes that are no longer to be sent, or are now set aside.
    /// - Throws: An error after which the same request is sent again.
    mutating func deliver(_ batch: MirrorBatch) async throws -> Int {
        next = nil
        // Without this entry, a lost answer could not be distinguished from a conflict after a restart.
        if storedID != batch.request.requestID {
            var write = MirrorWrite()
            write.newBatch = batch
            if let outcome = try await context.apply(write) { unchanged.add(outcome) }
        }
        storedID = nil
        var isRead = false
        do {
            if context.serverComparesAll {
                do {
                    isRead = true
                    return try await apply(try await responseReadingAhead(to: batch.request), to: batch)
                } catch CabinetError.Code.serverRejectedRequest {
                    context.serverComparesAll = false
                }
            }
            if !isRead { try await readAhead() }
            return try await deliverPlainly(batch)
        } catch let error as CabinetError where error.isTransient {
            throw error
        } catch let error as CabinetError {
            return try await handle(error, of: batch)
        }
    }

    /// Sends a request, and reads the next one, also if the request fails.
    private mutating func responseReadingAhead(
        to request: ModifyRecordsRequest
    ) async throws -> ModifyRecordsRequest.Response {
        let order = context.configuration.readAhead
        if order == .before { try await readAhead() }
        let (current, batchSize) = (order == .meanwhile ? pass : nil, batchSize)
        async let ahead = current?.nextEncoded(batchSize)
        let response: Result<ModifyRecordsRequest.Response, any Error>
        do {
            response = .success(try await MirrorUpload(context).response(to: request))
        } catch {
            response = .failure(error)
        }
        let read = try await ahead
        if order == .meanwhile { next = read ?? nil } else if order == .after { try await readAhead() }
        return try response.get()
    }

    /// Reads the next request.
    private mutating func readAhead() async throws {
        next = try await pass?.nextEncoded(batchSize)
    }

    /// Sends a request to a server that recognizes no repetition, and compares no versions of records to delete.
    ///
    /// The versions are compared here, before the deletion. A repeated save is recognized by its content.
    private mutating func deliverPlainly(_ batch: MirrorBatch) async throws -> Int {
        if !batch.request.recordIDsToDelete.isEmpty {
            let changed = try await context.reading { () -> Int? in
                let events = try await versions(ofRecordsIn: batch)
                if events.isEmpty { return 0 }
                return try await finish(batch, events) ? events.count : nil
            }
            if changed > 0 {
                isUnfinished = true
                return changed
            }
        }
        return try await apply(try await MirrorUpload(context).response(to: batch.plainRequest), to: batch)
    }

    private mutating func apply(
        _ response: ModifyRecordsRequest.Response, to batch: MirrorBatch
    ) async throws -> Int {
        let request = batch.request
        var events: [MirrorEvent] = []
        events.reserveCapacity(batch.count)
        var transient: CabinetError?
        for (record, result) in zip(request.recordsToSave, response.saveResults) {
            switch result {
            case .success(let saved): events.append(.sent(saved))
            case .failure(let error): failed(record.recordID, error, &events, &transient)
            }
        }
        for (id, error) in zip(request.recordIDsToDelete, response.deleteErrors) {
            switch error {
            case nil: events.append(.sentDeletion(id))
            case let error? where error.code == .unknownItem || error.code == .zoneNotFound:
                events.append(.sentDeletion(id))
            case let error?: failed(id, error, &events, &transient)
            }
        }
        for (id, number) in blocked.isEmpty ? [:] : batch.sentNumbers where blocked[id]?.number == nil {
            blocked[id]?.number = number
        }
        if context.serverComparesAll {
            try await finish(batch, events)
        } else {
            let known = events
            events = try await context.reading {
                let events = try await completed(known)
                return try await finish(batch, events) ? events : nil
            }
        }
        if let transient { throw transient }
        return events.count
    }

    /// Returns events with the server's whole records of conflicts, because the error of a conflict has them without assets.
    private func completed(_ events: [MirrorEvent]) async throws -> [MirrorEvent] {
        var ids: [RecordID] = []
        for case .saved(let record) in events { ids.append(record.recordID) }
        if ids.isEmpty { return events }
        var found: [RecordID: Result<Record, CabinetError>] = [:]
        for (id, result) in zip(ids, try await context.records(ids)) { found[id] = result }
        return events.compactMap { event in
            guard case .saved = event, let result = found[event.recordID] else { return event }
            return switch result {
            case .success(let record): .saved(record)
            case .failure(let error) where error.code == .unknownItem: .deleted(event.recordID)
            case .failure: nil
            }
        }
    }

    private mutating func failed(
        _ id: RecordID, _ error: CabinetError, _ events: inout [MirrorEvent], _ transient: inout CabinetError?
    ) {
        switch error.code {
        case .serverRecordChanged:
            if let server = error.serverRecord { events.append(.saved(server)) } else { transient = error }
        case .unknownItem: events.append(.deleted(id))
        case .zoneNotFound:
            events.append(.lost(id, CabinetError(.zoneNotFound, error.message, recordID: id, underlyingError: error)))
        case _ where error.isByOthers: blocked[id] = (nil, error)
        case _ where error.isTransient: transient = error
        default: events.append(.refused(id, error))
        }
        // A conflict is merged, and sent in the next pass.
        if error.code == .serverRecordChanged || error.code == .unknownItem { isUnfinished = true }
    }

    /// Applies what is known after a request, which is then no longer under way.
    ///
    /// - Returns: `false` if a fetch has learned something of the records since they were read again.
    @discardableResult
    private mutating func finish(_ batch: MirrorBatch, _ events: [MirrorEvent]) async throws -> Bool {
        var write = MirrorWrite()
        write.batch = batch
        write.events = events
        write.batchVersion = unchanged.version(of: batch)
        // A change that the server has not made may change the next request.
        if events.count == batch.count, events.allSatisfy(\.isSuccess) { write.newBatch = next }
        guard let outcome = try await context.applySent(write) else { return false }
        unchanged.add(outcome)
        storedID = write.newBatch?.request.requestID
        return true
    }

    /// Handles the error of a request as a whole, which has changed nothing.
    private mutating func handle(_ error: CabinetError, of batch: MirrorBatch) async throws -> Int {
        let request = batch.request
        let ids = batch.recordIDs
        if error.code == .serverRecordChanged, !request.recordIDsToDelete.isEmpty {
            isUnfinished = true
            return try await context.reading {
                let events = try await versions(ofRecordsIn: batch)
                return try await finish(batch, events) ? events.count : nil
            }
        }
        guard ids.count > 1 else {
            try await finish(batch, ids.map { .refused($0, error) })
            return ids.count
        }
        // The server takes fewer records at once, or one of them is the reason.
        batchSize = max(1, ids.count / 2)
        isUnfinished = true
        try await finish(batch, [])
        return 1
    }

    /// Reads the records again that a fetch has brought while they were on the way, and those that a deletion was to affect.
    func reread() async throws {
        while context.hasRereads {
            let ids = try await context.store.rereads(limit: 200)
            if ids.isEmpty {
                context.hasRereads = false
                return
            }
            try await context.reading {
                let results = try await context.records(ids)
                let zones = results.allSatisfy { $0.code != .zoneNotFound } ? [] : try await context.store.zones()
                let lost = Set(zones.filter(\.isLost).map(\.zoneID))
                var write = MirrorWrite()
                write.reread = ids
                write.events = try zip(ids, results).compactMap { id, result in
                    switch result {
                    case .success(let record): context.includes(record) ? .saved(record) : .excluded(record)
                    case .failure(let error) where error.hidesRecord: .deleted(id)
                    case .failure(let error) where error.isTransient: throw error
                    // No fetch reports the loss of a zone again.
                    case .failure where lost.contains(id.zoneID): .deleted(id)
                    // The fetch of zones reports the deletion of one.
                    case .failure: nil
                    }
                }
                return try await context.applySent(write) == nil ? nil : ()
            }
        }
    }

    /// Asks for the records whose deletion was refused because some have changed, and returns what is new.
    private func versions(ofRecordsIn batch: MirrorBatch) async throws -> [MirrorEvent] {
        let (ids, tags) = (batch.request.recordIDsToDelete, batch.expectedTags)
        return zip(ids, try await context.records(ids)).compactMap { id, result in
            switch result {
            case .success(let record): tags[id] == .some(record.recordChangeTag) ? nil : .saved(record)
            case .failure(let error) where error.code == .unknownItem || error.code == .zoneNotFound: .deleted(id)
            case .failure: nil
            }
        }
    }

    /// Sets the changes aside that still fail because of others, after all others were sent.
    ///
    /// - Returns: `false` if a record was edited since it was sent, so that its change is sent again.
    func setBlockedAside() async throws -> Bool {
        guard !blocked.isEmpty else {
            throw CabinetError(.zoneBusy, "Other clients change the records while they are sent.")
        }
        let pending = try await context.store.pending(Array(blocked.keys)).values
        let refused = pending.filter { $0.change.number == blocked[$0.change.recordID]?.number }
        var write = MirrorWrite()
        write.batch = MirrorBatch(
            saving: refused.filter { $0.record != nil }, deleting: refused.filter { $0.record == nil },
            in: context.scope)
        write.events = refused.compactMap { item in
            blocked[item.change.recordID].map { .refused(item.change.recordID, $0.error) }
        }
        try await context.apply(write)
        return refused.count == pending.count
    }
}

extension MirrorEvent {
    /// Whether the server has done what was sent.
    fileprivate var isSuccess: Bool {
        switch self {
        case .sent, .sentDeletion: true
        default: false
        }
    }
}
