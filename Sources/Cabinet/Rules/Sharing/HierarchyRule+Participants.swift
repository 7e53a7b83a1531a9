/// The saves and deletions that a participant of hierarchies may make.
extension HierarchyRule {
    /// Returns the errors of records that are, or would be, in no hierarchy that the participant may change.
    ///
    /// A record that exists outside of the hierarchies has the same error as one that does not exist. A participant may move a record
    /// out of a hierarchy.
    mutating func refusals(by access: ShareAccess) -> [RecordID: CabinetError] {
        var refusals: [RecordID: CabinetError] = [:]
        for (position, draft) in drafts.values.enumerated() {
            guard let draft, !ShareRule.isShare(draft.recordType), access.shareNames(in: draft.recordID.zoneID) != nil
            else { continue }
            let id = draft.recordID
            let old = stored[position]
            if let old, draft.parentName == nil || draft.parentName == old.parentName { continue }
            let name = draft.parent.flatMap { shareName(covering: old == nil ? id : $0.recordID) }
            guard !isHidden(id), let participant = access.participant(inShare: name, of: id.zoneID) else {
                refusals[id] = Self.outside(id)
                continue
            }
            if participant.permission != .readWrite { refusals[id] = access.readOnly(id, participant.userRecordName) }
        }
        return refusals
    }

    private static func outside(_ id: RecordID) -> CabinetError {
        CabinetError(
            .permissionFailure,
            "A participant saves records below a shared one, by their parents. This record is below none that the user may change.",
            recordID: id)
    }

    /// Returns the errors of deletions that would also delete or change a record that the participant may not, or a root.
    ///
    /// - Parameters:
    ///   - deletionRoots: The records to delete.
    ///   - stored: The records of the batch.
    ///   - references: The references to the records that a cascade reaches.
    ///   - access: The rights of the participant.
    static func refusals(
        deleting deletionRoots: [RecordID], _ stored: PerRecord<StoredRecord>, _ references: KnownReferences,
        by access: ShareAccess
    ) -> [RecordID: CabinetError] {
        var refusals: [RecordID: CabinetError] = [:]
        for id in deletionRoots where stored[id]?.ownShareName != nil {
            refusals[id] = CabinetError(
                .permissionFailure, "Only the owner deletes the root of a share.", recordID: id)
        }
        var owners: [RecordID: [RecordID]] = [:]
        var open: [RecordID] = []
        for reference in references.byTarget.values.joined() where reference.hasRule {
            if reference.isOwned { owners[reference.source, default: []].append(reference.target) }
            guard let source = references.sources[reference.source] else { continue }
            let isKept = reference.isOwned && (source.ownShareName != nil || ShareRule.isShare(source.recordType))
            if isKept || !access.canWrite(source) { open.append(reference.target) }
        }
        // The records whose deletion would reach one of these.
        var reached = Set(open)
        while let id = open.popLast() {
            for target in owners[id] ?? [] where reached.insert(target).inserted { open.append(target) }
        }
        for id in deletionRoots where refusals[id] == nil && reached.contains(id) {
            refusals[id] = CabinetError(
                .permissionFailure,
                "The deletion would affect records that the user may not change, so only the owner can delete the record.",
                recordID: id)
        }
        return refusals
    }
}
