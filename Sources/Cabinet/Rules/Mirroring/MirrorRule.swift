import Foundation

/// The rule by which a local record and its pending change follow what a mirror learns of the server's record.
///
/// | | without a pending change | with a pending edit | with a pending deletion |
/// |---|---|---|---|
/// | the server has a new version | it replaces the local one | both are merged, and the server's becomes the ancestor | the policy decides |
/// | the server has deleted the record | it is deleted | the policy decides: the edit creates the record again, or is dropped | nothing is pending |
/// | the server has done what was sent | nothing | nothing is pending; a later edit has the new version as its ancestor | the same |
///
/// A record that the program has deleted and created again is a new one: the deletion of the server's version does not drop it.
///
/// No event undoes what is pending, except by the policy, which the program sets. The effects of a deletion on other records by its
/// delete rules are neither sent nor judged apart from it.
struct MirrorRule: Sendable {
    let policy: MirrorPolicy
    let date: Date
    let user: String
    /// The number of the transaction, which no earlier one had.
    let number: Int64
    /// Whether a lost zone can be created again; otherwise it returns with the records that it had.
    var createsZones = true

    /// The local record, and what is pending.
    struct State: Sendable {
        var record: StoredRecord?
        var change: PendingChange?
        /// Whether the record is known to have the content that it had before the transaction.
        var hasOldContent = false
    }

    /// Whether an event has to wait for the answer to what was sent of its record.
    ///
    /// Another client may have changed what this one has sent, or the version before. Only the answer says which of them, and so what
    /// the pending change is based on.
    func isAhead(_ event: MirrorEvent, of sent: SentChange, in state: State) -> Bool {
        switch event {
        case .saved(let server), .excluded(let server):
            let known = state.change == nil ? state.record?.serverTag : state.change?.ancestor?.recordChangeTag
            if let tag = server.recordChangeTag, tag == known { return false }
            return state.change.map { !sent.isContent(of: server, $0) } ?? true
        // The answer may be an earlier version, which would return.
        case .deleted: return true
        default: return false
        }
    }

    /// Returns the state after an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - old: The state before it.
    ///   - sent: The change as it was sent last, if its answer has not arrived or is this event.
    func state(after event: MirrorEvent, from old: State, sent: SentChange?) -> State {
        if let change = old.change, change.isIncoming { return state(after: event, of: change, from: old) }
        if let effect = old.change?.effect { return state(after: event, of: effect, from: old, sent: sent) }
        return ownState(after: event, from: old, sent: sent)
    }

    /// Returns the state after an event of a record that no other record's deletion has had an effect on.
    func ownState(after event: MirrorEvent, from old: State, sent: SentChange?) -> State {
        var state = old
        switch event {
        case .excluded where state.change == nil: state = State()
        case .saved(let server), .excluded(let server):
            if let sent, let change = state.change, sent.isContent(of: server, change) {
                confirm(sent, server, isFetched: true, in: &state)
            } else {
                merge(server, after: sent, into: &state)
            }
            if case .excluded = event, state.change == nil { state = State() }
        case .deleted: mergeDeletion(into: &state)
        case .sent(let server): if let sent { confirm(sent, server, in: &state) }
        case .sentDeletion: if let sent { confirm(sent, nil, in: &state) }
        case .refused(_, let error): if sent?.number == state.change?.number { state.change?.error = error }
        case .lost(_, let error): lose(error, in: &state)
        case .withdrawn(let id, let error):
            if state.record != nil, state.change == nil {
                state.change = PendingChange(recordID: id, number: number, ancestor: nil, error: error)
                loseKeys(in: &state)
            } else {
                lose(error, in: &state)
            }
        case .adopted(let id):
            guard let record = state.record, state.change == nil, record.serverTag == nil else { break }
            // Each server has its own records of these types.
            if record.recordType == UserRecordRule.recordType || ShareRule.isShare(record.recordType) { break }
            state.change = PendingChange(recordID: id, number: number, ancestor: nil)
        case .retried: state.change?.error = nil
        case .discarded:
            guard let change = state.change else { break }
            state.record = change.ancestor.map { copy($0, replacing: state.record) }
            state.change = nil
        }
        return state
    }

    /// Returns the state after an event of a record whose latest version the local store could not hold.
    private func state(after event: MirrorEvent, of incoming: PendingChange, from old: State) -> State {
        var state = State(record: old.record, change: nil)
        switch event {
        case .saved(let server), .sent(let server): merge(server, after: nil, into: &state)
        case .deleted, .sentDeletion, .lost, .withdrawn, .excluded: state = State()
        // It may fit by now, if the program has changed the schema.
        case .retried: if let server = incoming.ancestor { state.record = copy(server, replacing: old.record) }
        case .refused, .adopted: state = old
        case .discarded: break
        }
        return state
    }

    func copy(_ server: Record, replacing old: StoredRecord?) -> StoredRecord {
        StoredRecord(copying: server, replacing: old, date: date, user: user)
    }

    /// Takes in a version of the server.
    ///
    /// - Parameters:
    ///   - server: The version.
    ///   - sent: The change as it was sent last, whose answer may be lost.
    ///   - state: The state to change.
    private func merge(_ server: Record, after sent: SentChange?, into state: inout State) {
        guard var change = state.change else {
            if let tag = server.recordChangeTag, state.record?.serverTag == tag { return }
            state.record = copy(server, replacing: state.record)
            return
        }
        if let tag = server.recordChangeTag, change.ancestor?.recordChangeTag == tag { return }
        let conflict: RecordConflict
        if let record = state.record, let edits = change.client(record, ofRestored: server) {
            conflict = RecordConflict(clientRecord: edits, serverRecord: server, ancestorRecord: server)
        } else if let record = state.record {
            conflict = RecordConflict(
                clientRecord: change.client(record), serverRecord: server,
                ancestorRecord: sent?.ancestor(of: server, change) ?? change.ancestor ?? change.deletedAncestor)
        } else if policy.keepsEdits {
            state = State(record: copy(server, replacing: nil), change: nil)
            return
        } else {
            change.rebase(onto: server)
            change.number = number
            state.change = change
            return
        }
        change.rebase(onto: server)
        change.number = number
        do {
            var merged = copy(server, replacing: state.record)
            let result = try policy.resolve(conflict)
            merged.fields = result.fields.visible
            merged.fields[StoredRecord.serverTagKey] = server.recordChangeTag.map(FieldValue.string)
            merged.parentName = result.parent?.recordID.recordName
            let remains = !merged.hasContent(of: copy(server, replacing: nil))
            if remains, let record = state.record {
                merged.modificationDate = record.modificationDate
                merged.lastModifierName = record.lastModifierName
            }
            state = State(record: merged, change: remains ? change : nil)
        } catch {
            // The program decides: a retry sends the local version over the server's.
            change.error =
                error as? CabinetError
                ?? CabinetError(
                    .serverRecordChanged, "The conflict was not resolved: \(error)", recordID: server.recordID)
            state.change = change
        }
    }

    /// Takes in a deletion of the server.
    private func mergeDeletion(into state: inout State) {
        guard var change = state.change, state.record != nil else {
            state = State()
            return
        }
        // A record that the server is not known to have is sent as a new one.
        guard change.ancestor != nil else { return }
        guard policy.keepsEdits || change.creationNumber != nil else {
            state = State()
            return
        }
        change.loseAncestor()
        change.number = number
        state.change = change
    }

    /// Takes in that the server has done what was sent.
    ///
    /// - Parameters:
    ///   - server: The server's version; `nil` after a deletion.
    ///   - isFetched: Whether a fetch has returned it, which is later than a loss of its zone that was fetched.
    ///   - state: The state to change.
    private func confirm(_ sent: SentChange, _ server: Record?, isFetched: Bool = false, in state: inout State) {
        // Without a change, a fetch has confirmed it before, or the program has dropped it, and the next fetch returns the version.
        guard var change = state.change else { return }
        if change.number == sent.number {
            guard let server else {
                // A record of another type is still to be saved under the ID.
                change.rebase(onto: nil)
                change.number = number
                state.change = state.record == nil ? nil : change
                return
            }
            state.change = nil
            if let record = state.record, record.hasContent(of: server) {
                // The record keeps its local number and dates, so that the program can save its copy again.
                state.record?.fields[StoredRecord.serverTagKey] = server.recordChangeTag.map(FieldValue.string)
                state.hasOldContent = true
            } else {
                state.record = copy(server, replacing: state.record)
            }
        } else if change.ancestor?.recordChangeTag == sent.tag {
            // Otherwise, a fetch has brought a later version.
            if isFetched || !createsZones || change.error?.code != .zoneNotFound {
                change.rebase(onto: server)
            } else if let server {
                // A fetch has brought the deletion of the zone, before the server has saved the record or since.
                change.deletedAncestor = server.mappingFields(\.withoutEncryptedValues)
            }
            // An edit of what was sent is not a creation.
            if let creation = change.creationNumber, creation <= sent.number { change.creationNumber = nil }
            state.change = change
        }
    }

    /// Takes in that the server has deleted the zone.
    private func lose(_ error: CabinetError, in state: inout State) {
        guard var change = state.change, state.record != nil else {
            state = State()
            return
        }
        if createsZones { change.loseAncestor() }
        change.error = error
        change.number = number
        state.change = change
        loseKeys(in: &state)
    }

    /// Leaves out the encrypted values of a record whose zone is lost: their keys were deleted with it, and a new zone has others.
    private func loseKeys(in state: inout State) {
        guard createsZones, let record = state.record, record.fields.firstEncryptedKey != nil else { return }
        state.record?.fields = record.fields.withoutEncryptedValues
        let ancestor = state.change?.deletedAncestor?.mappingFields(\.withoutEncryptedValues)
        state.change?.deletedAncestor = ancestor
    }
}

extension FieldValues {
    fileprivate var withoutEncryptedValues: FieldValues { mappingEncryptedValues { _, _ in nil } }
}
