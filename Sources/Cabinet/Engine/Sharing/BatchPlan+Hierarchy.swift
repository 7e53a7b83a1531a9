extension BatchPlan {
    /// Adds the records that enter or leave a share although the batch does not save them.
    ///
    /// - Parameters:
    ///   - rule: The rule, after the shares of the saved records were set.
    ///   - others: Records that the plan updates for another reason.
    mutating func addMoves(by rule: inout HierarchyRule, besides others: [StoredRecord]) {
        let updated = Set(others.map(\.recordID))
        moves = rule.movedRecords().filter { !updated.contains($0.record.recordID) }
        changedShares = rule.changedShares
    }

    /// Adds the entries of the participants of the saved and deleted shares, and the hidden fields that record types lack.
    mutating func addShares(_ schema: StoredSchema) throws(CabinetError) {
        let saved =
            insertions.map { (record: $0.record, old: nil) } + updates.map { (record: $0.record, old: $0.replaced) }
        for (record, old) in saved where ShareRule.isShare(record.recordType) {
            add(try ShareContent(record), replacing: try ShareContent(old), record.recordID)
        }
        for record in deletions where ShareRule.isShare(record.recordType) {
            add(nil, replacing: try ShareContent(record), record.recordID)
        }
        var types = Set(saved.filter { $0.record.shareName != nil }.map(\.record.recordType))
        types.formUnion(moves.lazy.filter { $0.record.shareName != nil }.map(\.record.recordType))
        for type in types.sorted() where schema.recordTypes[type]?[StoredRecord.shareKey] == nil {
            schemaAdditions.append((type, [StoredRecord.shareField]))
        }
    }

    private mutating func add(_ content: ShareContent?, replacing old: ShareContent?, _ shareID: RecordID) {
        participations += ParticipationEntry.mutations(for: content, replacing: old, shareID)
        oneTimeShortGUIDs.current.formUnion((content?.participants ?? []).compactMap(\.oneTimeShortGUID))
        oneTimeShortGUIDs.former.formUnion((old?.participants ?? []).compactMap(\.oneTimeShortGUID))
    }
}
