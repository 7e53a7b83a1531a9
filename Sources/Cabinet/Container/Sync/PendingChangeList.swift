/// The pending changes of records or zones in their order, one for each ID.
///
/// To add a change takes a constant time, unless it replaces one of the other kind.
struct PendingChangeList<ID: Codable & Hashable & Sendable>: Sendable {
    typealias Change = SyncEngine.State.Change<ID>

    private(set) var changes: [Change] = []
    private var positions: [ID: Int] = [:]

    var isEmpty: Bool { changes.isEmpty }

    /// Adds changes.
    ///
    /// The last one of each ID counts, and one that is pending already keeps its position.
    mutating func add(_ new: [Change], number: Int) {
        var kinds = Dictionary(new.map { ($0.id, $0.isSave) }, uniquingKeysWith: { $1 })
        let replaces = kinds.contains { id, isSave in positions[id].map { changes[$0].isSave != isSave } ?? false }
        if replaces { removeAll { kinds[$0.id] == !$0.isSave } }
        for change in new {
            guard let isSave = kinds.removeValue(forKey: change.id) else { continue }
            if let position = positions[change.id] {
                changes[position].number = number
            } else {
                positions[change.id] = changes.count
                changes.append(Change(isSave: isSave, id: change.id, number: number))
            }
        }
    }

    /// Removes changes, unless they were added again since the addition with a number.
    mutating func remove(_ gone: [Change], upTo number: Int = .max) {
        let saves = Set(gone.filter(\.isSave).map(\.id))
        let deletions = Set(gone.filter { !$0.isSave }.map(\.id))
        removeAll { $0.number <= number && ($0.isSave ? saves : deletions).contains($0.id) }
    }

    /// Removes the changes of items that have a later change under another ID.
    ///
    /// - Parameter canonical: Returns the ID under which the server has an item.
    mutating func removeReplaced(by canonical: (ID) -> ID) {
        guard changes.contains(where: { canonical($0.id) != $0.id }) else { return }
        var last: [ID: Int] = [:]
        for (position, change) in changes.enumerated() {
            let id = canonical(change.id)
            // One that was added again has kept its position.
            if let known = last[id], changes[known].number > change.number { continue }
            last[id] = position
        }
        let positions = positions
        removeAll { positions[$0.id] != last[canonical($0.id)] }
    }

    private mutating func removeAll(where isRemoved: (Change) -> Bool) {
        let count = changes.count
        changes.removeAll(where: isRemoved)
        if changes.count != count { indexAll() }
    }

    private mutating func indexAll() {
        positions = Dictionary(changes.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { $1 })
    }
}

/// The list is coded as its changes.
extension PendingChangeList: Codable {
    init(from decoder: any Decoder) throws {
        changes = try decoder.singleValueContainer().decode([Change].self)
        indexAll()
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(changes)
    }
}
