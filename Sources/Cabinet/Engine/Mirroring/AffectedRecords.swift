/// The records that a transaction of a mirror changes because deletions end that have had effects on them.
struct AffectedRecords {
    private let rule: MirrorRule
    /// The deletions whose effects are still to be ended.
    private var ends: [EndedDeletion] = []
    /// The states before and after, of records that no event names.
    private(set) var others: [(old: MirrorRule.State, new: MirrorRule.State)] = []
    private var positions: [RecordID: Int] = [:]
    /// The records that are read again from the server.
    private(set) var rereads: [RecordID] = []

    init(_ rule: MirrorRule) {
        self.rule = rule
    }

    /// Whether a deletion with effects has ended.
    var isNeeded: Bool { !ends.isEmpty }

    /// Adds the deletion that an event ends, if it does.
    mutating func add(_ event: MirrorEvent, from old: MirrorRule.State, to new: inout MirrorRule.State) {
        guard let end = rule.end(of: event, from: old, to: new) else { return }
        new.change?.affected = []
        ends.append(end)
    }

    /// Ends the effects of the deletions.
    ///
    /// - Parameters:
    ///   - states: The states of the records that events name.
    ///   - index: These records.
    ///   - transaction: The transaction, which has the others.
    mutating func endEffects(
        _ states: inout PerRecord<MirrorRule.State>, _ index: BatchIndex, in transaction: any StorageTransaction
    ) async throws {
        while let end = ends.popLast() {
            try await load(end.affected.filter { index.position(of: $0) == nil }, from: transaction)
            func state(of id: RecordID) -> MirrorRule.State? {
                index.position(of: id).map { states[$0] } ?? positions[id].map { others[$0].new }
            }
            let known = end.affected.compactMap { id in state(of: id).map { (id, $0) } }
            let deleted = Set(known.filter { $1.record == nil }.map(\.0) + [end.cause])
            let recreated = Set(known.filter { $1.record != nil && $1.change?.effect == nil }.map(\.0))
            for id in end.affected {
                guard let old = state(of: id) else { continue }
                var new = rule.state(after: end, deleting: deleted, recreated: recreated, from: old)
                // If the record's own deletion ends with the other one, its effects do too.
                if !rule.isOpen(from: old, to: new) {
                    add(end.result == .carriedOut ? .deleted(id) : .retried(id), from: old, to: &new)
                }
                // A record that returns may be deleted on the server, and a fetch of the whole zone does not compare it again.
                let returns = end.result == .undone && old.change?.effect != nil && new.change?.effect == nil
                if returns || new.change?.effect?.isCarriedOut == true { rereads.append(id) }
                if let position = index.position(of: id) {
                    states[position] = new
                } else if let position = positions[id] {
                    others[position].new = new
                }
            }
        }
    }

    private mutating func load(_ ids: [RecordID], from transaction: any StorageTransaction) async throws {
        let ids = ids.filter { positions[$0] == nil }
        for page in ids.parts(of: KnownBatch.pageSize) {
            let keys = page.map(PendingChange.key)
            let values = try await transaction.load(StorageKeys(records: Array(page), entries: keys))
            for (position, id) in page.enumerated() where positions[id] == nil {
                let change = try values.entries[position].map { text throws(CabinetError) in
                    try PendingChange(id, StorageEntry(key: keys[position], text: text))
                }
                let state = MirrorRule.State(record: values.records[position], change: change)
                positions[id] = others.count
                others.append((state, state))
            }
        }
    }
}
