extension StorageSnapshot {
    /// Returns the rights of a user in the zones of another user's database, by their shares as they are stored.
    func shareAccess(to zoneIDs: [RecordZone.ID], for user: String) async throws -> ShareAccess {
        var access = ShareAccess()
        let zoneIDs = Set(zoneIDs).filter { $0 != .default }
        if zoneIDs.isEmpty { return access }
        let ids = zoneIDs.map(ShareRule.shareID)
        for case let stored? in try await load(StorageKeys(records: ids)).records {
            access.add(try ShareContent(stored), of: stored.recordID.zoneID, for: user)
        }
        return access
    }
}
