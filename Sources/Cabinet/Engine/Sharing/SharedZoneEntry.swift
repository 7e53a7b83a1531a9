/// A zone that a user has accepted, as an entry of the user's shared database.
///
/// The entries are a list of zones to ask for. Whether a zone is shared, its share says alone, in the owner's database: an entry
/// without a share that confirms it shows nothing. So an entry is stored before the share is accepted, and outlives it.
struct SharedZoneEntry: Sendable, Hashable {
    /// The zone, with the owner's name.
    let zoneID: RecordZone.ID

    /// The number by which change tokens name the zone; it never changes.
    let number: Int64

    /// Whether the user has left the share, so that the owner's database need not be asked.
    var isLeft = false
}

extension SharedZoneEntry {
    /// The keys of all entries of a user.
    static let allKeys = StorageKey.all("share", "zone")

    /// The key of a zone's entry.
    static func key(_ zoneID: RecordZone.ID) -> StorageKey {
        StorageKey("share", "zone", zoneID.ownerName, zoneID.zoneName)
    }

    private static let leftMark = "left"

    /// Reads an entry.
    init(_ entry: StorageEntry) throws(CabinetError) {
        guard let zoneID = RecordZone.ID(entry.key) else { throw .damagedEntry(entry.key, entry.text) }
        var reader = EntryReader(entry.text)
        guard let number = reader.number(), reader.isAtEnd || reader.rest() == Self.leftMark else {
            throw .damagedEntry(entry.key, entry.text)
        }
        self.init(zoneID: zoneID, number: number, isLeft: !reader.isAtEnd)
    }

    /// The mutation that stores the entry.
    var mutation: StorageMutation { .setEntry(Self.key(zoneID), isLeft ? "\(number) \(Self.leftMark)" : "\(number)") }
}

extension StorageSnapshot {
    /// Returns the zones that a user has accepted, in the order of their numbers.
    func sharedZones() async throws -> [SharedZoneEntry] {
        try await allEntries(in: SharedZoneEntry.allKeys).map { try SharedZoneEntry($0) }
            .sorted { $0.number < $1.number }
    }
}
