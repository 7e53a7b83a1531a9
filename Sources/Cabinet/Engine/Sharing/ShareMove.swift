import Foundation

/// A record that has entered or left the hierarchy of a share, as the changes of the zone report it to participants.
///
/// The entry has a number of its own: the record and its change tag are those of before, because its content has not changed.
struct ShareMove: Sendable, Hashable {
    /// The number by which the changes of the zone report the move.
    var number: Int64 = 0
    var date: Date
    let recordName: String
    let recordType: Record.RecordType
    /// The share that covered the record.
    var from: String?
    /// The share that covers the record.
    var to: String?
}

extension ShareMove {
    /// Creates the move of a record; `nil` if the same share covers it, or a share that exists only before or only after.
    ///
    /// - Parameters:
    ///   - old: The record before.
    ///   - shareName: The share that covers the record afterwards.
    ///   - changed: The names of the shares that are new or deleted, which no participant has accepted then.
    ///   - date: The date of the move.
    init?(_ old: StoredRecord, to shareName: String?, except changed: Set<RecordID>, date: Date) {
        func kept(_ name: String?) -> String? {
            name.flatMap { changed.contains(RecordID(recordName: $0, zoneID: old.recordID.zoneID)) ? nil : $0 }
        }
        let (from, to) = (kept(old.shareName), kept(shareName))
        if from == to { return nil }
        self.init(
            date: date, recordName: old.recordID.recordName, recordType: old.recordType, from: from, to: to)
    }

    /// The keys of the moves in a zone after a number.
    static func keys(in zoneID: RecordZone.ID, after number: Int64 = 0) -> Range<StorageKey> {
        let all = StorageKey.all("share", "hierarchy", zoneID.zoneName, "move")
        return number <= 0 ? all : key(number, in: zoneID).next..<all.upperBound
    }

    static func key(_ number: Int64, in zoneID: RecordZone.ID) -> StorageKey {
        StorageKey("share", "hierarchy", zoneID.zoneName, "move", StorageKey.name(number))
    }

    /// Reads an entry.
    init(_ entry: StorageEntry) throws(CabinetError) {
        let parts = StorageKey(entry.text).names
        guard parts.count == 5, let number = entry.key.names.last.flatMap(Int64.init), let date = Double(parts[0])
        else {
            throw .damagedEntry(entry.key, entry.text)
        }
        self.init(
            number: number, date: Date(timeIntervalSinceReferenceDate: date), recordName: parts[2],
            recordType: parts[1], from: parts[3].isEmpty ? nil : parts[3], to: parts[4].isEmpty ? nil : parts[4])
    }

    /// Returns the mutation that stores the move in a zone.
    func mutation(in zoneID: RecordZone.ID) -> StorageMutation {
        let text = StorageKey(
            "\(date.timeIntervalSinceReferenceDate)", recordType, recordName, from ?? "", to ?? ""
        ).text
        return .setEntry(Self.key(number, in: zoneID), text)
    }
}

extension StorageSnapshot {
    /// Reads the moves in a zone after a number.
    func moves(in zoneID: RecordZone.ID, after number: Int64, limit: Int) async throws -> [ShareMove] {
        try await entries(in: ShareMove.keys(in: zoneID, after: number), limit: limit).map { try ShareMove($0) }
    }
}
