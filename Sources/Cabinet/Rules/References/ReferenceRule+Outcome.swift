extension ReferenceRule {
    /// The number of rounds that search for the best outcome; later ones only refuse more.
    ///
    /// A batch made for it needs a round for each of its records, which would hold the database for long.
    private static let maximumSearchRounds = 8

    /// Returns the consequences of a batch that is not atomic, and the errors of the saves and deletions that it refuses for good.
    ///
    /// A save is refused if it refers to a record that does not exist afterwards. Refusing it can end a denial, and so a deletion
    /// that other saves depend on; its stored version can deny a deletion that it was refused for. In the second case the deletion is
    /// refused instead. The outcome does not depend on the order of the batch.
    ///
    /// - Parameters:
    ///   - drafts: The records in their new state.
    ///   - stored: The records in their stored state.
    ///   - deletionRoots: The records to delete.
    ///   - saveRule: The user who changes the records, and their database.
    ///   - creators: The users who created the records to delete.
    /// - Returns: The errors, and the cascade, whose denials are valid if there are none.
    func outcome(
        saving drafts: PerRecord<StoredRecord>, replacing stored: PerRecord<StoredRecord>,
        deleting deletionRoots: [RecordID], by saveRule: SaveRule, of creators: Set<String>
    ) -> (cascade: Cascade, failures: [RecordID: CabinetError]) {
        // A target that does not exist depends on no deletion.
        var missing = violations(in: drafts, replacing: stored, deleting: [])
        if !missing.isEmpty || deletionRoots.isEmpty {
            missing.merge(dependents(of: missing, in: drafts, replacing: stored, deleting: [])) { first, _ in first }
            return (Cascade(), missing)
        }
        func cascade(
            _ saved: PerRecord<StoredRecord>, without denied: [RecordID: CabinetError], throughSaved: Bool = true
        ) -> Cascade {
            let roots = deletionRoots.filter { denied[$0] == nil }
            return self.cascade(from: roots, saving: saved, by: saveRule, of: creators, isAtomic: !throughSaved)
        }
        var refused: [RecordID: CabinetError] = [:]
        var denied: [RecordID: CabinetError] = [:]
        var round = 0
        while true {
            let saved = drafts.omitting(refused.keys)
            let current = cascade(saved, without: denied)
            let kept = denied.merging(current.denials) { first, _ in first }
            // A saved record that the cascade would delete is refused for its reference, and its stored version judged next.
            let deletions = cascade(saved, without: kept, throughSaved: false).deletions
            var new = violations(in: saved, replacing: stored, deleting: deletions)
            if new.isEmpty { return (current, refused.merging(denied) { first, _ in first }) }
            new.merge(dependents(of: new, in: saved, replacing: stored, deleting: deletions)) { first, _ in first }
            let next = cascade(saved.omitting(new.keys), without: kept).denials
            round += 1
            let searches = round < Self.maximumSearchRounds
            if !searches { denied = kept }
            denied.merge(next) { first, _ in first }
            if next.isEmpty || !searches {
                refused.merge(new) { first, _ in first }
            } else {
                // Saves that were refused for these deletions may succeed.
                refused = [:]
            }
        }
    }
}
