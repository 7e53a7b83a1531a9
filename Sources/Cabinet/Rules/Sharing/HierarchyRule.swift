/// The rule that a share covers its root and every record below it, along the parents, and that at most one share covers a record.
///
/// Each record has the name of its share, so a batch follows only the parents that it changes, and the records below these.
struct HierarchyRule {
    private let known: KnownHierarchy
    /// The records of the batch as they are stored.
    let stored: PerRecord<StoredRecord>
    private let deletions: Set<RecordID>

    /// The records that the batch saves.
    private(set) var drafts: PerRecord<StoredRecord>
    /// The shares that the batch saves, by their roots.
    private var sharesByRoot: [RecordID: RecordID] = [:]
    /// The shares that were found to cover records.
    private var covering: [RecordID: String?] = [:]

    /// - Parameters:
    ///   - known: The loaded records of hierarchies.
    ///   - drafts: The records that the batch saves.
    ///   - stored: The same records as they are stored.
    ///   - deletions: The records that the batch deletes.
    init(
        _ known: KnownHierarchy, saving drafts: PerRecord<StoredRecord>, replacing stored: PerRecord<StoredRecord>,
        deleting deletions: Set<RecordID>
    ) {
        self.known = known
        self.drafts = drafts
        self.stored = stored
        self.deletions = deletions
        for case let draft? in drafts.values {
            if let root = draft.sharedRoot, sharesByRoot[root] == nil { sharesByRoot[root] = draft.recordID }
        }
    }
}

/// The loaded records of hierarchies that a batch may change.
struct KnownHierarchy: Sendable {
    /// The parents of saved records that the batch does not name; they may have the hidden field alone.
    var parents: [RecordID: StoredRecord] = [:]

    /// The records below those that may enter or leave a share, and the roots of shares that the batch deletes.
    var records: [RecordID: StoredRecord] = [:]

    /// A share that is in the way of new ones, by zone: that of the zone, or one of a hierarchy in it.
    var sharesInZones: [RecordZone.ID: RecordID] = [:]

    /// The records of the batch that exist, and that the participant who sends it does not see.
    var hidden: Set<RecordID> = []
}

extension StoredRecord {
    /// The root of the hierarchy that this share covers; `nil` for other records.
    var sharedRoot: RecordID? { ShareRule.isShare(recordType) ? ShareContent.root(in: fields) : nil }
}

extension HierarchyRule {
    /// Whether a record exists that the participant who saves it does not see.
    func isHidden(_ id: RecordID) -> Bool { known.hidden.contains(id) }

    /// Returns the share whose root a record is after the batch.
    private func ownShareName(of id: RecordID) -> String? {
        if let shareID = sharesByRoot[id] { return shareID.recordName }
        let record = drafts[id] ?? known.records[id] ?? stored[id] ?? known.parents[id]
        return record?.ownShareName.flatMap { isDeleted($0, id) ? nil : $0 }
    }

    private func isDeleted(_ shareName: String, _ id: RecordID) -> Bool {
        deletions.contains(RecordID(recordName: shareName, zoneID: id.zoneID))
    }

    /// Returns the share that covered a record before the batch, unless the batch deletes the share.
    private func storedShareName(of id: RecordID) -> String? {
        let record = stored[id] ?? known.records[id] ?? known.parents[id]
        return record?.shareName.flatMap { isDeleted($0, id) ? nil : $0 }
    }

    /// Returns the share that covers a record after the batch.
    ///
    /// - Complexity: in the number of parents up to the first that the batch does not change; each is visited once.
    mutating func shareName(covering id: RecordID) -> String? {
        var path: [RecordID] = []
        var seen: Set<RecordID> = []
        var current = id
        var name: String?
        while true {
            if let found = covering[current] {
                name = found
                break
            }
            // Parents in a cycle are below no root.
            guard seen.insert(current).inserted else { break }
            path.append(current)
            name = ownShareName(of: current)
            if name != nil { break }
            guard let record = drafts[current] ?? known.records[current] else {
                name = storedShareName(of: current)
                break
            }
            guard let parent = record.parent?.recordID else { break }
            let isKept = drafts[current] == nil || stored[current]?.parentName == record.parentName
            if isKept, drafts[parent] == nil, known.records[parent] == nil {
                name = storedShareName(of: current)
                break
            }
            current = parent
        }
        for id in path { covering.updateValue(name, forKey: id) }
        return name
    }

    /// Sets the shares of the records that the batch saves.
    mutating func assignShares() {
        for position in drafts.values.indices {
            guard var draft = drafts[position] else { continue }
            assignShare(to: &draft)
            drafts[position] = draft
        }
    }

    /// Sets the share of a record.
    mutating func assignShare(to record: inout StoredRecord) {
        let id = record.recordID
        if ShareRule.isShare(record.recordType) {
            record.setShare(ShareRule.isZoneWide(id) ? nil : id.recordName, isRoot: false)
        } else if let own = ownShareName(of: id) {
            record.setShare(own, isRoot: true)
        } else {
            record.setShare(shareName(covering: id), isRoot: false)
        }
    }

    /// Returns the records that the batch does not save and that enter or leave a share.
    mutating func movedRecords() -> [(record: StoredRecord, replaced: StoredRecord)] {
        var moved: [(record: StoredRecord, replaced: StoredRecord)] = []
        for (id, record) in known.records.sorted(by: { $0.value.insertionNumber < $1.value.insertionNumber })
        where drafts[id] == nil && !deletions.contains(id) {
            var assigned = record
            assignShare(to: &assigned)
            if assigned.fields != record.fields { moved.append((assigned, record)) }
        }
        return moved
    }

    /// The shares that the batch creates or deletes.
    var changedShares: Set<RecordID> {
        var changed = deletions
        for (draft, old) in zip(drafts.values, stored.values) where old == nil {
            if let draft, ShareRule.isShare(draft.recordType) { changed.insert(draft.recordID) }
        }
        return changed
    }
}

// MARK: - Shares in the way

extension HierarchyRule {
    /// Returns the errors of new shares without their roots, and of records that two shares would cover.
    mutating func violations() -> [RecordID: CabinetError] {
        var violations: [RecordID: CabinetError] = [:]
        for (draft, old) in zip(drafts.values, stored.values) where old == nil {
            guard let draft, ShareRule.isShare(draft.recordType) else { continue }
            violations[draft.recordID] = violation(creating: draft)
        }
        if !violations.isEmpty { return violations }
        var roots = Set(sharesByRoot.keys)
        for case let draft? in drafts.values where ownShareName(of: draft.recordID) != nil {
            roots.insert(draft.recordID)
        }
        for id in known.records.keys where ownShareName(of: id) != nil { roots.insert(id) }
        for root in roots.sorted(by: { $0.recordName < $1.recordName }) where !deletions.contains(root) {
            guard let parent = (drafts[root] ?? known.records[root])?.parent?.recordID, parent != root,
                let above = shareName(covering: parent), let own = ownShareName(of: root), above != own
            else { continue }
            let refused = recordToRefuse(root)
            // The error names the other share than the one that is saved.
            let name = refused.recordName.hasSameScalars(as: above) ? own : above
            violations[refused] = Self.alreadyShared(refused, root, RecordID(recordName: name, zoneID: root.zoneID))
        }
        return violations
    }

    private func violation(creating share: StoredRecord) -> CabinetError? {
        let id = share.recordID
        if let other = known.sharesInZones[id.zoneID] { return Self.alreadyShared(id, nil, other) }
        guard let root = share.sharedRoot else {
            // The batch may share the zone and a hierarchy in it.
            return sharesByRoot.values.first { $0.zoneID == id.zoneID }.map { Self.alreadyShared(id, nil, $0) }
        }
        guard let record = drafts[root], !ShareRule.isShare(record.recordType) else {
            return ShareRule.rootIsMissing(root, of: id)
        }
        if let other = sharesByRoot[root], other != id { return Self.alreadyShared(id, root, other) }
        guard let name = storedShareName(of: root) else { return nil }
        return Self.alreadyShared(id, root, RecordID(recordName: name, zoneID: root.zoneID))
    }

    /// Returns the record of the batch that brings the root of a share below that of another one.
    private func recordToRefuse(_ root: RecordID) -> RecordID {
        var current = root
        var seen: Set<RecordID> = []
        while seen.insert(current).inserted {
            if let shareID = sharesByRoot[current], stored[shareID] == nil { return shareID }
            guard let record = drafts[current] ?? known.records[current] else { break }
            if drafts[current] != nil, stored[current]?.parentName != record.parentName { return current }
            guard let parent = record.parent?.recordID else { break }
            current = parent
        }
        return root
    }

    private static func alreadyShared(_ id: RecordID, _ root: RecordID?, _ other: RecordID) -> CabinetError {
        let subject = root.map { "The record '\($0.recordName)', or one below or above it," } ?? "A part of the zone"
        return CabinetError(
            .alreadyShared,
            "\(subject) is shared by '\(other.recordName)', and one share at most covers a record. Delete that share first.",
            recordID: id)
    }
}
