/// The part of a user in a share, under a key by which a request finds it without reading the share.
///
/// It is stored with the share, in each transaction that changes the share, and says the same.
enum ParticipationEntry {
    /// The keys of the entries of all zones, among others of hierarchies.
    static let allKeys = StorageKey.all("share", "hierarchy")

    /// Whether a key of a hierarchy's entry is that of a user's part.
    static func isKey(_ key: StorageKey) -> Bool {
        let names = key.names
        return names.count == 6 && names[3] == "participant"
    }

    /// The keys of a user's entries in a zone.
    static func keys(of user: String, in zoneID: RecordZone.ID) -> Range<StorageKey> {
        StorageKey.all("share", "hierarchy", zoneID.zoneName, "participant", user)
    }

    private static func key(_ user: String, _ shareID: RecordID) -> StorageKey {
        StorageKey("share", "hierarchy", shareID.zoneID.zoneName, "participant", user, shareID.recordName)
    }

    /// Reads an entry of a zone.
    static func read(
        _ entry: StorageEntry, in zoneID: RecordZone.ID
    ) throws(CabinetError) -> (shareID: RecordID, participant: Share.Participant) {
        guard let name = entry.key.names.last, let participant = Share.Participant(text: entry.text) else {
            throw .damagedEntry(entry.key, entry.text)
        }
        return (RecordID(recordName: name, zoneID: zoneID), participant)
    }

    /// Returns the mutations that store the participants of a share.
    ///
    /// - Parameters:
    ///   - content: The share's content; `nil` if it is deleted.
    ///   - old: The content before; `nil` if the share is new.
    ///   - shareID: The share's ID.
    static func mutations(
        for content: ShareContent?, replacing old: ShareContent?, _ shareID: RecordID
    ) -> [StorageMutation] {
        let kept = (content?.participants ?? []).filter(\.canRead)
        let names = Set(kept.map(\.userRecordName))
        let gone = (old?.participants ?? []).map(\.userRecordName).filter { !$0.isEmpty && !names.contains($0) }
        return kept.map { .setEntry(key($0.userRecordName, shareID), $0.text) }
            + gone.map { .setEntry(key($0, shareID), nil) }
    }
}
