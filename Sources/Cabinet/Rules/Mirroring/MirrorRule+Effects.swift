/// The end of a local deletion that has had effects.
struct EndedDeletion: Sendable {
    /// The record.
    let cause: RecordID

    /// The records on which the deletion has had effects.
    let affected: [RecordID]

    let result: Result

    /// The results of a deletion.
    enum Result: Sendable {
        /// The server has deleted the record, with its own effects.
        case carriedOut
        /// The record returns.
        case undone
        /// The record was created again here: its deletion is not sent, and so each effect is.
        case replaced
    }
}

/// A record that a deletion has had an effect on is kept as if it had none, so that it can return with all that was learned since.
extension MirrorRule {
    /// Returns the end of a deletion with effects; `nil` if the event ends none.
    func end(of event: MirrorEvent, from old: State, to new: State) -> EndedDeletion? {
        guard let change = old.change, !change.affected.isEmpty else { return nil }
        let result: EndedDeletion.Result
        switch event {
        case .sentDeletion, .deleted: result = .carriedOut
        case .retried where old.record != nil: result = .replaced
        case _ where isOpen(from: old, to: new): return nil
        case .lost, .withdrawn: result = .carriedOut
        case .discarded: result = .undone
        default: result = old.record == nil ? .undone : .replaced
        }
        return EndedDeletion(cause: change.recordID, affected: change.affected, result: result)
    }

    /// Whether a deletion, or the record that was created again after it, is still to be sent after an event.
    func isOpen(from old: State, to new: State) -> Bool {
        new.change != nil && (old.record != nil || new.record == nil)
    }

    /// Returns the state of a record after the end of a deletion that has had an effect on it.
    ///
    /// A record that the program has created again has none any more.
    ///
    /// - Parameters:
    ///   - end: The end.
    ///   - deleted: The records that the deletion has deleted here, with the cause.
    ///   - recreated: The records that the deletion has deleted here, and that exist again.
    ///   - old: The state before.
    func state(
        after end: EndedDeletion, deleting deleted: Set<RecordID>, recreated: Set<RecordID>, from old: State
    ) -> State {
        guard var change = old.change, var effect = change.effect, effect.cause == end.cause, !effect.isCarriedOut
        else { return old }
        change.number = number
        var state = state(without: effect, from: old)
        state.change?.number = number
        switch end.result {
        case .undone: return state
        case .replaced:
            change.effect = nil
            return State(record: old.record, change: change)
        case .carriedOut: break
        }
        guard var own = state.record else { return State() }
        // The server's cascade has passed over a target that was created again, and so over this record.
        let passed = effect.target.flatMap { target in
            recreated.contains(target) && old.record?.targets.contains(target) != true ? target : nil
        }
        let references = own.references.filter {
            $0.hasRule && (deleted.contains($0.target) || $0.target == passed)
        }
        let known = Set(change.ancestor.map { copy($0, replacing: nil).references } ?? [])
        let unsent = references.filter { !known.contains($0) || $0.target == passed }
        if old.record == nil {
            // Other clients have moved the record to an owner that still exists.
            guard references.contains(where: \.isOwned) else { return state }
            if unsent.contains(where: \.isOwned) {
                // The server does not know that a deleted record is the owner, and so the deletion is sent.
                (change.effect, change.error) = (nil, nil)
                return change.ancestor == nil ? State() : State(record: nil, change: change)
            }
        } else {
            own.removeReferences(to: Set(unsent.map(\.target)))
            if change.ancestor == nil {
                change.effect = nil
                return State(record: own, change: change)
            }
            if !unsent.isEmpty { effect.record = own.ownVersion }
        }
        effect.isCarriedOut = true
        change.effect = effect
        return State(record: old.record, change: change)
    }

    /// Returns the state after an event of a record that a deletion has had an effect on.
    func state(after event: MirrorEvent, of effect: DeletionEffect, from old: State, sent: SentChange?) -> State {
        switch event {
        case .saved, .excluded, .deleted: break
        case .lost, .withdrawn:
            // The server has lost the cause too, and its deletion with it.
            var state = old
            state.change?.effect = nil
            return ownState(after: event, from: state, sent: sent)
        default: return ownState(after: event, from: old, sent: sent)
        }
        let own = state(without: effect, from: old)
        if effect.isCarriedOut {
            if case .deleted = event, old.record == nil { return State() }
            return ownState(after: event, from: own, sent: sent)
        }
        return state(ownState(after: event, from: own, sent: sent), with: effect, from: old, own)
    }

    private func state(without effect: DeletionEffect, from old: State) -> State {
        guard var change = old.change else { return old }
        change.effect = nil
        if let own = effect.record { return State(record: copy(own, replacing: old.record), change: change) }
        return State(record: change.ancestor.map { copy($0, replacing: old.record) }, change: nil)
    }

    /// Returns a state with the effect that another state of the record has.
    ///
    /// - Parameters:
    ///   - new: The state without the effect.
    ///   - effect: The effect.
    ///   - old: The other state.
    ///   - own: The other state without the effect.
    private func state(_ new: State, with effect: DeletionEffect, from old: State, _ own: State) -> State {
        guard let record = new.record else { return State() }
        var change =
            new.change ?? PendingChange(recordID: record.recordID, number: number, ancestor: record.serverVersion)
        change.number = number
        change.affected = old.change?.affected ?? []
        change.effect = effect
        change.effect?.record = new.change == nil ? nil : record.ownVersion
        let isSame = change.ancestor?.recordChangeTag == old.change?.ancestor?.recordChangeTag
        if !isSame { change.effect?.target = nil }
        guard let local = old.record else { return State(record: nil, change: change) }
        var changed = record
        changed.removeReferences(to: own.record?.targets.subtracting(local.targets) ?? [])
        return changed.hasContent(of: record) ? new : State(record: changed, change: change)
    }
}

extension StoredRecord {
    /// The records whose deletion affects this one.
    fileprivate var targets: Set<RecordID> { Set(references.filter(\.hasRule).map(\.target)) }
}
