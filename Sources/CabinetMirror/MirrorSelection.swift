public import Cabinet

/// The records of the server that a mirror keeps in its local store.
///
/// ```swift
/// configuration.selection.recordTypes = ["Notes", "Pictures"]
/// configuration.selection.filters["Notes"] =
///     .field("editedDate") > lastYear
/// ```
///
/// A record that does not belong to the selection is not stored, and is removed when it no longer belongs to it. A record with a change
/// that was not sent stays until the server has the change. After a change of the selection, the mirror fetches the zones again.
public struct MirrorSelection: Sendable, Hashable {
    /// The zones; `nil` for all.
    ///
    /// Records of the default zone that were fetched before it was left out stay.
    public var zoneIDs: Set<RecordZone.ID>?

    /// The record types; `nil` for all.
    public var recordTypes: Set<String>?

    /// The conditions of record types: a record of such a type belongs to the selection if it matches.
    ///
    /// A filter reads the record's own fields, not those of other records. A record that it cannot judge, such as one with a value of
    /// another type, belongs to the selection.
    public var filters: [String: Filter] = [:]

    /// Whether the zones that other users share are mirrored, with the records that belong to the selection.
    ///
    /// Otherwise, requests to the shared database go to the remote container.
    public var includesSharedZones = false

    /// The records of the public database that are mirrored, by record type: those that match the condition.
    ///
    /// Requests for records of other types go to the remote container.
    public var publicRecords: [String: Filter] = [:]

    /// Creates a selection of the whole private database.
    public init() {}
}

extension MirrorSelection {
    /// A text that is the same for equal selections of zones that report changes.
    var fingerprint: String {
        let zones = zoneIDs.map { "\($0.map { "\($0.ownerName)/\($0.zoneName)" }.sorted())" } ?? "*"
        let types = recordTypes.map { "\($0.sorted())" } ?? "*"
        let conditions = filters.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return (["zones \(zones)", "types \(types)"] + conditions).joined(separator: "\n")
    }
}

extension MirrorSelection {
    /// The databases that are mirrored.
    var scopes: [DatabaseScope] {
        [.private] + (includesSharedZones ? [.shared] : []) + (publicRecords.isEmpty ? [] : [.public])
    }

    /// Whether a record of the public database is mirrored.
    func includesPublic(_ record: Record) -> Bool {
        guard let filter = publicRecords[record.recordType] else { return false }
        return (try? filter.matches(record)) ?? true
    }

    func includes(_ zoneID: RecordZone.ID) -> Bool { zoneIDs?.contains(zoneID) ?? true }

    func includes(_ record: Record) -> Bool {
        if let recordTypes, !recordTypes.contains(record.recordType) { return false }
        guard let filter = filters[record.recordType] else { return true }
        return (try? filter.matches(record)) ?? true
    }
}
