/// The entries of the shares of a zone and its hierarchies, in the owner's private database.
enum HierarchyEntries {
    /// The keys of all entries of a zone.
    static func allKeys(of zoneID: RecordZone.ID) -> Range<StorageKey> {
        StorageKey.all("share", "hierarchy", zoneID.zoneName)
    }

    /// The key of the part of the URL by which the shares of a root are found.
    static func shortGUIDKey(_ root: RecordID) -> StorageKey {
        StorageKey("share", "hierarchy", root.zoneID.zoneName, "guid", root.recordName)
    }
}

extension StorageKey {
    /// The keys of the entries that a copy of a database has unchanged: the keys of encrypted zones, and everything of shares.
    ///
    /// Also the users, tokens and keys of a server, and what a mirror knows of its server and has not sent.
    package static var copiedRanges: [Range<StorageKey>] {
        [ZoneKeys.allKeys, all("share"), all("account"), all("server")] + MirrorEntries.copiedRanges
    }
}
