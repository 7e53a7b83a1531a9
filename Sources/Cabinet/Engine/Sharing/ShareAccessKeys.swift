/// The keys that decide the rights of a user in zones: the user's parts in the shares of the zones and of their hierarchies.
struct ShareAccessKeys {
    /// The zones, each once; the default zone is never shared.
    private let zoneIDs: [RecordZone.ID]
    /// The entries with the user's parts.
    let entryRanges: [Range<StorageKey>]

    init(_ zoneIDs: [RecordZone.ID], user: String) {
        self.zoneIDs = Set(zoneIDs).filter { $0 != .default }
        entryRanges = self.zoneIDs.map { ParticipationEntry.keys(of: user, in: $0) }
    }

    /// Returns the rights, from the entries of the keys.
    func access(_ entries: some Sequence<[StorageEntry]>) throws(CabinetError) -> ShareAccess {
        var access = ShareAccess()
        for (zoneID, entries) in zip(zoneIDs, entries) {
            for entry in entries {
                let (shareID, participant) = try ParticipationEntry.read(entry, in: zoneID)
                access.add(participant, by: shareID)
            }
        }
        return access
    }
}
