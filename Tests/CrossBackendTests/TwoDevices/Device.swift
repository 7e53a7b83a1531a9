import Cabinet

// snippet: device
/// A device that works offline: a copy of a database, and an outbox of edits.
///
/// It is an actor, so that a view model or another actor can hold it in a
/// property, and edit while it is synchronizing.
actor Device {
    /// Everything that the device keeps: encode it to a file, and create the
    /// device from it when the app starts again.
    struct State: Codable, Sendable {
        struct Zone: Codable, Sendable {
            var records: [RecordID: Record] = [:]
            var token: ServerChangeToken?
        }

        var zones: [RecordZone.ID: Zone] = [:]
        var token: ServerChangeToken?
        var edits: [RecordID: Record] = [:]
        var deletions: Set<RecordID> = []
    }

    private(set) var state: State
    /// The errors of edits that were refused, which stay in the outbox.
    private(set) var failures: [RecordID: CabinetError] = [:]
    private var isSynchronizing = false
    /// The last edit of each record that was sent, and the saved record.
    private var sent: [RecordID: (edit: Record, saved: Record)] = [:]

    init(_ state: State = State()) {
        self.state = state
    }

    /// The record as the device shows it.
    func record(for id: RecordID) -> Record? {
        state.deletions.contains(id)
            ? nil : state.edits[id] ?? state.zones[id.zoneID]?.records[id]
    }

    /// Keeps an edit; the record remembers what it was fetched as, so that
    /// the edit can be merged later.
    func save(_ record: Record) {
        state.edits[record.recordID] = current(record)
        state.deletions.remove(record.recordID)
    }

    func delete(_ id: RecordID) {
        state.edits[id] = nil
        state.deletions.insert(id)
    }

    /// Forgets an edit or a deletion, such as one that was refused.
    func revert(_ id: RecordID) {
        state.edits[id] = nil
        state.deletions.remove(id)
        failures[id] = nil
    }

    /// Sends the edits, and fetches what others changed; a call during
    /// another one returns at once.
    func synchronize(
        with database: Database,
        resolvingConflictsWith resolver: ConflictResolver
    ) async throws {
        if isSynchronizing { return }
        isSynchronizing = true
        defer { isSynchronizing = false }
        try await sendEdits(to: database, resolvingConflictsWith: resolver)
        try await fetchChanges(from: database)
    }
}
// end

// snippet: fetch
extension Device {
    private var hasToken: Bool { state.token != nil }

    /// Fetches what has changed; if it is interrupted, the next call
    /// continues where this one ended.
    private func fetchChanges(from database: Database) async throws {
        do {
            for try await page in database.databaseChangeSequence(
                since: state.token)
            {
                for deletion in page.deletions {
                    state.zones[deletion.zoneID] = nil
                }
                for change in page.modifications {
                    try await fetchChanges(in: change.zoneID, from: database)
                }
                // Not earlier: a token kept too early skips changes.
                state.token = page.changeToken
            }
        } catch CabinetError.Code.changeTokenExpired where hasToken {
            (state.zones, state.token) = ([:], nil)
            try await fetchChanges(from: database)
        }
    }

    private func fetchChanges(
        in zoneID: RecordZone.ID, from database: Database
    ) async throws {
        // A fetch without a token returns no deletions, so it begins with an
        // empty copy.
        var zone =
            state.zones[zoneID].flatMap { $0.token == nil ? nil : $0 }
            ?? State.Zone()
        do {
            // The sequence ends when no more is coming.
            for try await page in database.recordZoneChangeSequence(
                inZoneWith: zoneID, since: zone.token)
            {
                for deletion in page.deletions {
                    zone.records[deletion.recordID] = nil
                }
                for change in page.modifications {
                    zone.records[change.record.recordID] = change.record
                }
                zone.token = page.changeToken
                state.zones[zoneID] = zone
            }
        } catch CabinetError.Code.changeTokenExpired where zone.token != nil {
            state.zones[zoneID] = nil
            try await fetchChanges(in: zoneID, from: database)
        } catch CabinetError.Code.zoneNotFound {
            // Deleted after the page that named it; a later page reports the
            // deletion too.
            state.zones[zoneID] = nil
        }
    }
}
// end

// snippet: send
extension Device {
    private func sendEdits(
        to database: Database,
        resolvingConflictsWith resolver: ConflictResolver
    ) async throws {
        // Edits made while this method waits stay in the outbox.
        let (edits, deletions) = (state.edits, state.deletions)
        let results = try await database.modifyRecords(
            saving: Array(edits.values), deleting: Array(deletions),
            atomically: false)
        // An edit that is refused keeps neither the others from being sent
        // nor the device from fetching.
        failures = [:]
        for (id, result) in results.saveResults {
            guard let edit = edits[id] else { continue }
            do {
                let isConflict = result.code == .serverRecordChanged
                let saved =
                    isConflict
                    ? try await database.save(
                        edit, resolvingConflictsWith: resolver)
                    : try result.get()
                finish(edit, savedAs: saved)
            } catch let error as CabinetError {
                if !Self.lost.contains(error.code) {
                    failures[id] = error
                } else if state.edits[id] == edit {
                    state.edits[id] = nil
                }
            }
        }
        for (id, result) in results.deleteResults {
            if case .failure(let error) = result,
                !Self.lost.contains(error.code)
            {
                failures[id] = error
            } else {
                state.deletions.remove(id)
            }
        }
    }

    /// Moves an edit to the copy.
    private func finish(_ edit: Record, savedAs saved: Record) {
        let id = edit.recordID
        state.zones[id.zoneID, default: State.Zone()].records[id] = saved
        sent[id] = (edit, saved)
        state.edits[id] =
            state.edits[id] == edit ? nil : state.edits[id].map(current)
    }

    /// An edit of the version before the last save, as one of the saved
    /// record: with what the user changed since that edit was sent.
    private func current(_ record: Record) -> Record {
        let id = record.recordID
        guard let (edit, saved) = sent[id],
            edit.recordChangeTag == record.recordChangeTag,
            state.zones[id.zoneID]?.records[id] != nil
        else { return record }
        var next = saved
        for key in Set(record.allKeys() + edit.allKeys())
        where record[key]?.fieldValue != edit[key]?.fieldValue {
            next[key] = record[key]
        }
        if record.parent != edit.parent { next.parent = record.parent }
        return next
    }

    /// The errors after which the server wins: the record, its zone or the
    /// target of a reference was deleted, or a reference denies the deletion.
    private static let lost: Set<CabinetError.Code> = [
        .unknownItem, .zoneNotFound, .referenceViolation,
    ]
}
// end

extension Device {
    /// The copy's records, without the edits.
    var records: [RecordID: Record] {
        state.zones.values.reduce(into: [:]) {
            $0.merge($1.records) { first, _ in first }
        }
    }

    /// Fetches what others did, while the edits wait.
    func update(from database: Database) async throws {
        try await fetchChanges(from: database)
    }
}
