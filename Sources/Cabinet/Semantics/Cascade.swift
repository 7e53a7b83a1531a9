/// What the deletion of some records entails.
struct Cascade: Sendable {
    /// The records that go: those that were asked for, and all that refer to them with `deleteSelf`, directly or through others.
    var deletions: Set<RecordID> = []
    /// The references with `nullify` from records that stay to records that go.
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
    func cascade(
        from roots: [RecordID], savingMeanwhile drafts: [RecordID: StoredRecord]
    ) async throws -> Cascade {
        var cascade = Cascade(deletions: Set(roots))
        var owners: [RecordID: [RecordID]] = [:]
        var denials: [StoredReference] = []
        var frontier = roots
        while !frontier.isEmpty {
            var next: [RecordID] = []
            for reference in try await transaction.references(to: frontier) where drafts[reference.source] == nil {
                switch reference.place {
                case .field(_, action: .none): break
                case .field(_, action: .deleteSelf):
                    owners[reference.source, default: []].append(reference.target)
                    if cascade.deletions.insert(reference.source).inserted { next.append(reference.source) }
                case .field(_, action: .nullify): cascade.nullifications.append(reference)
                case .field(_, action: .deny), .parent: denials.append(reference)
                }
            }
            frontier = next
        }
        cascade.nullifications.removeAll { cascade.deletions.contains($0.source) }
        denials.removeAll { cascade.deletions.contains($0.source) }
        cascade.denials = Self.denied(denials, among: Set(roots), owners: owners)
        return cascade
    }

    /// The records to delete whose cascade reaches a record that may not be deleted.
    private static func denied(
        _ denials: [StoredReference], among roots: Set<RecordID>, owners: [RecordID: [RecordID]]
    ) -> [RecordID: CabinetError] {
        var errors: [RecordID: CabinetError] = [:]
        var seen: Set<RecordID> = []
        for denial in denials {
            var path = [denial.target]
            while let id = path.popLast() {
                guard seen.insert(id).inserted else { continue }
                if roots.contains(id) { errors[id] = denial.denial(of: id) }
                path += owners[id] ?? []
            }
        }
        return errors
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
