/// What the deletion of some records entails.
struct Cascade: Sendable {
    /// The records that go: those that were asked for, and all that refer to them with `deleteSelf`, directly or through others.
    var deletions: Set<RecordID> = []
    /// The same in the order in which they were found, which is mostly that in which a backend has them.
    var order: [RecordID] = []
    /// The references from records that stay to records that go: those with `nullify`, and those that cannot forbid the deletion.
    var nullifications: [StoredReference] = []
    /// The deletions that a reference with `deny`, or a child, forbids, and why.
    var denials: [RecordID: CabinetError] = [:]
}

extension ReferenceRule {
    /// Follows references backwards from the records to delete, level by level, through chains, trees and cycles.
    ///
    /// - Parameters:
    ///   - roots: The records to delete.
    ///   - drafts: The records that the same batch saves: what they refer to now no longer counts.
    ///   - saveRule: The user who deletes the records, and their database.
    ///   - isAtomic: Whether one denial denies the whole batch. Otherwise a record that stays by a denial may deny others.
    func cascade(
        from roots: [RecordID], savingMeanwhile drafts: PerRecord<StoredRecord>, by saveRule: SaveRule, isAtomic: Bool
    ) -> Cascade {
        var cascade = Cascade(deletions: Set(roots), order: roots)
        var owned: [StoredReference] = []
        var denials: [StoredReference] = []
        var frontier = roots
        while !frontier.isEmpty {
            var next: [RecordID] = []
            for reference in frontier.flatMap({ known.byTarget[$0] ?? [] }) where drafts[reference.source] == nil {
                switch reference.place {
                case .field(_, action: .none): break
                case .field(_, action: .deleteSelf):
                    owned.append(reference)
                    if cascade.deletions.insert(reference.source).inserted { next.append(reference.source) }
                case .field(_, action: .nullify): cascade.nullifications.append(reference)
                case .field(_, action: .deny), .parent: denials.append(reference)
                }
            }
            cascade.order += next
            frontier = next
        }
        let powerless = powerless(denials, against: saveRule)
        if !powerless.isEmpty {
            cascade.nullifications += denials.filter { powerless.contains($0.source) }
            denials.removeAll { powerless.contains($0.source) }
        }
        cascade.nullifications.removeAll { cascade.deletions.contains($0.source) }
        if isAtomic { denials.removeAll { cascade.deletions.contains($0.source) } }
        guard denials.contains(where: { !cascade.deletions.contains($0.source) }) else { return cascade }
        var search = DenialSearch(roots: roots, owned: owned, denials: denials, deletions: cascade.deletions)
        cascade.denials = search.denials()
        return cascade
    }

    /// Returns the records whose references cannot forbid a user's deletion, because that user may not change them.
    private func powerless(_ denials: [StoredReference], against saveRule: SaveRule) -> Set<RecordID> {
        guard saveRule.database == .public, !denials.isEmpty else { return [] }
        var powerless: Set<RecordID> = []
        for id in Set(denials.map(\.source)) {
            guard let record = known.sources[id],
                !PermissionRule.allowsChanges(to: record, in: saveRule.database, by: saveRule.user)
            else { continue }
            powerless.insert(id)
        }
        return powerless
    }
}

/// Finds the records to delete whose cascade reaches a record that may not be deleted.
///
/// A record that stays because of a denial denies others in turn. A chain of them is found in one search, which takes time
/// proportional to the references; only of records that own each other in a circle some may be left to the planner's next try.
private struct DenialSearch {
    private let roots: Set<RecordID>
    private let owners: [RecordID: [RecordID]]
    private let owned: [RecordID: [RecordID]]
    private let denialsBySource: [RecordID: [StoredReference]]
    /// The denials by records that stay, not followed yet.
    private var open: [StoredReference]
    /// How many reasons there are to delete a record: it was asked for, or something that it belongs to goes.
    private var reasons: [RecordID: Int] = [:]
    private var errors: [RecordID: CabinetError] = [:]

    init(roots: [RecordID], owned: [StoredReference], denials: [StoredReference], deletions: Set<RecordID>) {
        self.roots = Set(roots)
        // A record that belongs to itself is no reason to delete it.
        let links = owned.filter { $0.source != $0.target }
        owners = Dictionary(grouping: links, by: \.source).mapValues { $0.map(\.target) }
        self.owned = Dictionary(grouping: links, by: \.target).mapValues { $0.map(\.source) }
        denialsBySource = Dictionary(grouping: denials, by: \.source)
        open = denials.filter { !deletions.contains($0.source) }
        for id in roots { reasons[id, default: 0] += 1 }
        for link in links { reasons[link.source, default: 0] += 1 }
    }

    /// The records that cannot be deleted, and why.
    mutating func denials() -> [RecordID: CabinetError] {
        var seen: Set<RecordID> = []
        while let denial = open.popLast() {
            var path = [denial.target]
            while let id = path.popLast() {
                guard seen.insert(id).inserted else { continue }
                if roots.contains(id) {
                    errors[id] = denial.denial(of: id)
                    removeReason(toDelete: id)
                }
                path += owners[id] ?? []
            }
        }
        return errors
    }

    /// Takes one reason away; a record without one stays, and denies what it denies.
    private mutating func removeReason(toDelete root: RecordID) {
        var path = [root]
        while let id = path.popLast() {
            guard let count = reasons[id] else { continue }
            reasons[id] = count - 1
            guard count == 1 else { continue }
            open += denialsBySource[id] ?? []
            path += owned[id] ?? []
        }
    }
}

extension StoredReference {
    fileprivate func denial(of root: RecordID) -> CabinetError {
        let what = "The record cannot be deleted" + (root == target ? "" : " with \(target), which goes with it")
        let why =
            place == .parent
            ? "\(source) has it as its parent. Delete the child too, or give it another parent."
            : "\(source) refers to it in '\(fieldKey)' with the action 'deny'. Delete that record first, or change the field."
        return CabinetError(.referenceViolation, "\(what): \(why)", recordID: root, fieldKey: fieldKey)
    }
}
