/// What has changed in a database between two looks at it, read once for all who observe it.
struct ChangeSet: Sendable {
    /// The number that all changes exceed.
    let start: Int64

    /// The number up to which all changes are here.
    let end: Int64

    /// The timeline that ``end`` is on; a result that was read on another one must be loaded again.
    let timeline: Int64?

    /// Whether all changes are here; `false` if they are too many, or not remembered.
    var isComplete = true

    /// The zones that were removed, each with the number of its last removal.
    var removedZones: [RecordZone.ID: Int64] = [:]

    /// The last change of each record that has changed.
    var changes: [StoredChange] = []

    /// The schema after the changes.
    let schema: StoredSchema

    /// How much has changed.
    var count: Int { changes.count + removedZones.count }

    /// A look that has more changes to read than this leaves it to those who observe to run their queries anew.
    static let maximumCount = 2_000

    /// Reads what has changed since an earlier set; nothing, if that is `nil`.
    static func read(after known: ChangeSet?, in snapshot: any StorageSnapshot) async throws -> ChangeSet {
        let end = try await snapshot.timelineEnd()
        var set = ChangeSet(
            start: known?.end ?? end.number, end: end.number, timeline: end.timeline,
            schema: try await snapshot.schema())
        if let known, known.timeline != end.timeline {
            set.isComplete = false
        } else if set.start != set.end {
            set.isComplete = try await set.readChanges(in: snapshot)
        }
        return set
    }

    /// Whether nothing has changed since another set was read.
    func isSame(as known: ChangeSet) -> Bool {
        end == known.end && timeline == known.timeline && schema == known.schema
    }

    private mutating func readChanges(in snapshot: any StorageSnapshot) async throws -> Bool {
        // The store was replaced by an older one.
        guard start < end else { return false }
        let zones = try await snapshot.zoneChanges(after: start, limit: Self.maximumCount + 1)
        guard zones.count <= Self.maximumCount else { return false }
        for case .deleted(let zoneID, let number) in zones { removedZones[zoneID] = number }
        for case .changed(let zone) in zones {
            guard zone.expirationNumber <= start else { return false }
            let room = max(Self.maximumCount - count, 0)
            let found = try await snapshot.changes(
                in: zone.zoneID, after: start, limit: room + 1, of: .all(fields: nil))
            guard found.count <= room else { return false }
            changes += found
        }
        return true
    }
}
