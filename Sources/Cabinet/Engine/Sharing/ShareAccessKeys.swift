/// The keys that decide the rights of a user in zones: the shares of whole zones, and the user's parts in those of hierarchies.
struct ShareAccessKeys {
    /// The zones, each once; the default zone is never shared.
    let zoneIDs: [RecordZone.ID]
    private let user: String

    init(_ zoneIDs: [RecordZone.ID], user: String) {
        self.zoneIDs = Set(zoneIDs).filter { $0 != .default }
        self.user = user
    }

    /// The shares of the zones.
    var records: [RecordID] { zoneIDs.map(ShareRule.shareID) }

    /// The fields of a share that it takes.
    static let fields = [
        Share.SystemFieldKey.participants, Share.SystemFieldKey.publicPermission, Share.SystemFieldKey.shortGUID,
    ]

    /// The entries with the user's parts.
    var entryRanges: [Range<StorageKey>] { zoneIDs.map { ParticipationEntry.keys(of: user, in: $0) } }

    /// Returns the rights, from the values of the keys.
    func access(
        _ records: some Sequence<StoredRecord?>, _ entries: some Sequence<[StorageEntry]>
    ) throws(CabinetError) -> ShareAccess {
        var access = ShareAccess()
        for case let stored? in records {
            access.add(try ShareContent(stored)?.participant(user), by: stored.recordID)
        }
        for (zoneID, entries) in zip(zoneIDs, entries) {
            for entry in entries {
                let (shareID, participant) = try ParticipationEntry.read(entry, in: zoneID)
                access.add(participant, by: shareID)
            }
        }
        return access
    }
}
