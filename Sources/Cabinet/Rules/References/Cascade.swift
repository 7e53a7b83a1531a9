/// The consequences of deleting records.
struct Cascade: Sendable {
    /// The records to delete: the requested ones, and all that refer to them with `deleteSelf`, directly or through others.
    var deletions: Set<RecordID> = []
    /// The same records in the order of discovery, which is mostly their order in the backend.
    var order: [RecordID] = []
    /// The references from other records to the deleted ones: those with `nullify`, and those that cannot forbid the deletion.
    var nullifications: [StoredReference] = []
    /// The errors of the deletions that a reference with `deny`, or a child, forbids.
    var denials: [RecordID: CabinetError] = [:]
}

extension ReferenceRule {
    /// Follows references backwards from the records to delete, level by level, through chains, trees and cycles.
    ///
    /// In an atomic batch, a saved record is not deleted and denies nothing, because a reference of it to a deleted record fails
    /// the batch. Otherwise the deletions are judged by the state with all saves, and denied ones are left out.
    ///
    /// - Parameters:
    ///   - deletionRoots: The records to delete.
    ///   - drafts: The records that the same batch saves; their new references replace the stored ones.
    ///   - saveRule: The user who deletes the records, and their database.
    ///   - creators: The users who created the records to delete.
    ///   - isAtomic: Whether one denial denies the whole batch. Otherwise a record that a denial keeps may deny others.
    func cascade(
        from deletionRoots: [RecordID], saving drafts: PerRecord<StoredRecord>, by saveRule: SaveRule,
        of creators: Set<String>, isAtomic: Bool
    ) -> Cascade {
        let new = isAtomic || deletionRoots.isEmpty ? [:] : drafts.referencesByTarget
        var deletionRoots = deletionRoots
        var denials: [RecordID: CabinetError] = [:]
        while true {
            var cascade = follow(deletionRoots, drafts, new, saveRule, creators, isAtomic: isAtomic)
            let isStable = isAtomic || cascade.denials.isEmpty
            denials.merge(cascade.denials) { first, _ in first }
            cascade.denials = denials
            if isStable { return cascade }
            deletionRoots.removeAll { denials[$0] != nil }
        }
    }

    /// Follows references backwards from the records to delete, and finds those that may not be deleted.
    ///
    /// - Parameter new: The references of the drafts that count, by target.
    private func follow(
        _ deletionRoots: [RecordID], _ drafts: PerRecord<StoredRecord>, _ new: [RecordID: [StoredReference]],
        _ saveRule: SaveRule, _ creators: Set<String>, isAtomic: Bool
    ) -> Cascade {
        var cascade = Cascade(deletions: Set(deletionRoots), order: deletionRoots)
        var owned: [StoredReference] = []
        var denials: [StoredReference] = []
        var frontier = deletionRoots
        let savesNothing = drafts.values.allSatisfy { $0 == nil }
        while !frontier.isEmpty {
            var next: [RecordID] = []
            for id in frontier {
                let old = known.byTarget[id] ?? []
                for reference in (savesNothing ? old : old.filter { drafts[$0.source] == nil }) + (new[id] ?? []) {
                    switch reference.place {
                    case .field(_, action: .none): break
                    case .field(_, action: .deleteSelf):
                        owned.append(reference)
                        if cascade.deletions.insert(reference.source).inserted { next.append(reference.source) }
                    case .field(_, action: .nullify): cascade.nullifications.append(reference)
                    case .field(_, action: .deny), .parent: denials.append(reference)
                    }
                }
            }
            cascade.order += next
            frontier = next
        }
        let powerless = powerless(denials, drafts, against: saveRule, creators)
        if !powerless.isEmpty {
            cascade.nullifications += denials.filter { powerless.contains($0.source) }
            denials.removeAll { powerless.contains($0.source) }
        }
        cascade.nullifications.removeAll { cascade.deletions.contains($0.source) }
        if isAtomic { denials.removeAll { cascade.deletions.contains($0.source) } }
        guard denials.contains(where: { !cascade.deletions.contains($0.source) }) else { return cascade }
        var search = DenialSearch(
            deletionRoots: deletionRoots, owned: owned, denials: denials, deletions: cascade.deletions)
        cascade.denials = search.denials { id in
            known.sources[id].map { saveRule.permissions.allows(.read, for: $0) } ?? true
        }
        return cascade
    }

    /// Returns the records whose references cannot forbid a user's deletion.
    ///
    /// That user may not change them, and no creator of a record to delete created them.
    private func powerless(
        _ denials: [StoredReference], _ drafts: PerRecord<StoredRecord>, against saveRule: SaveRule,
        _ creators: Set<String>
    ) -> Set<RecordID> {
        guard saveRule.database == .public, !denials.isEmpty else { return [] }
        var powerless: Set<RecordID> = []
        for id in Set(denials.map(\.source)) where drafts[id] == nil {
            guard let record = known.sources[id], !creators.contains(record.creatorName),
                !saveRule.permissions.allows(.write, for: record)
            else { continue }
            powerless.insert(id)
        }
        return powerless
    }
}

/// Finds the records to delete whose cascade reaches a record that may not be deleted.
///
/// A record that a denial keeps denies others in turn. One search finds a chain of them, in time proportional to the references.
/// Some records that own each other in a cycle may be left to the next search.
private struct DenialSearch {
    private let deletionRoots: Set<RecordID>
    private let owners: [RecordID: [RecordID]]
    private let owned: [RecordID: [RecordID]]
    private let denialsBySource: [RecordID: [StoredReference]]
    /// The denials by kept records that are still to be followed.
    private var open: [StoredReference]
    /// The number of reasons to delete each record: a request, and every owner that is deleted.
    private var reasons: [RecordID: Int] = [:]
    private var errors: [RecordID: CabinetError] = [:]

    init(deletionRoots: [RecordID], owned: [StoredReference], denials: [StoredReference], deletions: Set<RecordID>) {
        self.deletionRoots = Set(deletionRoots)
        // A record that owns itself has no further reason to be deleted.
        let links = owned.filter { $0.source != $0.target }
        owners = Dictionary(grouping: links, by: \.source).mapValues { $0.map(\.target) }
        self.owned = Dictionary(grouping: links, by: \.target).mapValues { $0.map(\.source) }
        denialsBySource = Dictionary(grouping: denials, by: \.source)
        open = denials.filter { !deletions.contains($0.source) }
        for id in deletionRoots { reasons[id, default: 0] += 1 }
        for link in links { reasons[link.source, default: 0] += 1 }
    }

    /// Returns the errors of the records that cannot be deleted.
    ///
    /// - Parameter canRead: Whether the user may read a record, so that an error names it.
    mutating func denials(canRead: (RecordID) -> Bool) -> [RecordID: CabinetError] {
        var seen: Set<RecordID> = []
        while let denial = open.popLast() {
            var path = [denial.target]
            while let id = path.popLast() {
                guard seen.insert(id).inserted else { continue }
                if deletionRoots.contains(id) {
                    errors[id] = denial.denial(of: id, canRead: canRead)
                    removeReason(toDelete: id)
                }
                path += owners[id] ?? []
            }
        }
        return errors
    }

    /// Removes a reason; a record without reasons is kept, and its denials count.
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

extension PerRecord<StoredRecord> {
    /// The references of the records that have a delete rule, by target.
    fileprivate var referencesByTarget: [RecordID: [StoredReference]] {
        var found: [RecordID: [StoredReference]] = [:]
        for case let record? in values {
            record.forEachReference { if $0.hasRule { found[$0.target, default: []].append($0) } }
        }
        return found
    }
}

extension StoredReference {
    fileprivate func denial(of root: RecordID, canRead: (RecordID) -> Bool) -> CabinetError {
        var what = "The record cannot be deleted"
        if root != target {
            let other = canRead(target) ? "\(target)" : "a record that the user may not read"
            what += " with \(other), which the cascade would delete"
        }
        guard canRead(source) else {
            return CabinetError(
                .referenceViolation, "\(what): A record that the user may not read refers to it.", recordID: root)
        }
        let why =
            place == .parent
            ? "\(source) has it as its parent. Delete the child too, or give it another parent."
            : "\(source) refers to it in '\(fieldKey)' with an action that forbids this. Delete that record first, or change the field."
        return CabinetError(.referenceViolation, "\(what): \(why)", recordID: root, fieldKey: fieldKey)
    }
}
