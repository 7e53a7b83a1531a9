extension KnownBatch {
    /// The smallest number of records that are deleted together.
    ///
    /// Fewer are read and deleted one by one in about the same time.
    private static let fewestInGroup = 32

    /// The number of records of a group that are deleted at once.
    static let groupPageSize = 4 * pageSize

    /// Finds out whether the records that a cascade deletes can be deleted together, without reading them.
    ///
    /// They can if one record is deleted, all records that refer to it have a single `deleteSelf` reference to it and no assets, and
    /// no delete rule and no share concerns them. A mirror has to remember each of them, so it does not ask.
    mutating func loadGroups(
        of request: ModifyRecordsRequest, from transaction: any StorageTransaction, _ meter: WorkMeter
    ) async throws {
        guard request.recordsToSave.isEmpty, request.recordIDsToDelete.count == 1,
            let id = request.recordIDsToDelete.first, stored[id] != nil, access == nil, !schema.hasHierarchies,
            let referrers = transaction.abilities.referrers,
            let found = try await referrers.groups(referringTo: id)
        else { return }
        guard found.contains(where: { $0.count >= Self.fewestInGroup }),
            found.allSatisfy({
                $0.isOwned && !schema.hasAssets(in: $0.recordType) && !ShareRule.isShare($0.recordType)
            })
        else { return }
        for group in found {
            try meter.checkCancellation()
            if try await referrers.mayBeReferredTo(group) { return }
        }
        try meter.checkCancellation()
        groups = found
    }
}

extension ReferrerGroup {
    /// Whether the target owns the records.
    fileprivate var isOwned: Bool {
        if case .field(_, action: .deleteSelf) = place { true } else { false }
    }
}

extension StoredSchema {
    /// Whether records of a type can have assets.
    fileprivate func hasAssets(in recordType: Record.RecordType) -> Bool {
        recordTypes[recordType]?.values.contains { $0 == .asset || $0 == .list(of: .asset) } ?? false
    }
}
