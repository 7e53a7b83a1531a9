import Cabinet
import Foundation

/// Checks the change feed: that it lists exactly the existing records, and deletions of records that no longer exist.
extension DatabaseVerification {
    /// The number of consecutive sequence numbers that are compared at a time, in all zones, to find duplicates.
    private static let windowSize: Int64 = 20_000

    /// The progress of reading a zone's feed.
    private struct Reader {
        let zoneID: RecordZone.ID
        /// The number of the next change; `nil` after the last.
        var next: Int64?
        var saved = Fingerprint()
        var last: Int64 = 0
        var isReadable = true
    }

    func checkFeed() async throws {
        var readers: [Reader] = []
        for zoneID in zoneIDs {
            var reader = Reader(zoneID: zoneID)
            if let first = try await page(of: &reader, after: .min, limit: 1)?.first {
                reader.next = first.sequenceNumber
            }
            readers.append(reader)
        }
        while let start = readers.compactMap(\.next).min() {
            let end = start.addingReportingOverflow(Self.windowSize)
            var window = Window(end: end.overflow ? .max : end.partialValue)
            for position in readers.indices {
                if let next = readers[position].next, next <= window.end { try await read(&readers[position], &window) }
            }
        }
        for reader in readers where reader.isReadable {
            checkNumbers(of: reader.zoneID, last: reader.last)
            if !lacksRecords, reader.saved != contents[reader.zoneID] ?? Fingerprint() {
                try await findDifferences(in: reader.zoneID, listed: reader.saved.count)
            }
        }
    }

    /// A window of sequence numbers, and the records that have them.
    private struct Window {
        let end: Int64
        var owners: [Int64: RecordID] = [:]
    }

    /// Reads a zone's changes up to the end of a window.
    private func read(_ reader: inout Reader, _ window: inout Window) async throws {
        var position = (reader.next ?? .min).decremented
        reader.next = nil
        while let page = try await page(of: &reader, after: position, limit: Self.pageSize) {
            let part = page.prefix { $0.sequenceNumber <= window.end }
            let start = position
            for change in part {
                // Two changes that compare as equal have the same number, which is another finding.
                let isInOrder = change.sequenceNumber > start && change.sequenceNumber >= position
                if !isInOrder || change.recordID.zoneID != reader.zoneID {
                    collector.add(
                        IntegrityIssue(
                            .changeFeed,
                            "The changes after number \(position) are not in order, or belong to another zone.",
                            zoneID: reader.zoneID, isRepairable: true))
                    return
                }
                position = change.sequenceNumber
                if let other = window.owners.updateValue(change.recordID, forKey: position) {
                    addDuplicate(change, other)
                }
                if let record = change.record { reader.saved.add(ChangeIdentity(record)) }
            }
            counts.changes += part.count
            reader.last = max(reader.last, position)
            try await checkDeletions(part)
            try pause()
            if part.count < page.count { return reader.next = page[part.endIndex].sequenceNumber }
            if page.count < Self.pageSize { return }
        }
    }

    private func page(
        of reader: inout Reader, after number: Int64, limit: Int
    ) async throws -> [StoredChange]? {
        let page = try await attempt(
            "The change feed of the zone '\(reader.zoneID)' after number \(number)",
            await snapshot.changes(in: reader.zoneID, after: number, limit: limit, of: .all(fields: [])))
        if page == nil { reader.isReadable = false }
        return page
    }

    private func addDuplicate(_ change: StoredChange, _ other: RecordID) {
        collector.add(
            IntegrityIssue(
                .sequenceNumber,
                "The number \(change.sequenceNumber) was assigned twice, to this record and to \(other): a client that fetches changes may "
                    + "miss one. Save both records again.", recordID: change.recordID))
    }

    private func checkDeletions(_ changes: ArraySlice<StoredChange>) async throws {
        var deletions: [StoredDeletion] = []
        for case .deleted(let deletion) in changes { deletions.append(deletion) }
        if deletions.isEmpty { return }
        for deletion in deletions {
            if deletion.sequenceNumber < 1 || deletion.sequenceNumber > lastSequenceNumber {
                let isLow = deletion.sequenceNumber < 1
                collector.add(
                    IntegrityIssue(
                        .sequenceNumber,
                        "The number of a deletion is \(deletion.sequenceNumber), and the last that was assigned is "
                            + "\(lastSequenceNumber).", recordID: deletion.recordID, isRepairable: !isLow))
            }
            if !deletion.date.timeIntervalSinceReferenceDate.isFinite {
                collector.add(
                    IntegrityIssue(
                        .changeFeed, "The date of a deletion is infinite or not a number.",
                        recordID: deletion.recordID))
            }
        }
        let ids = deletions.map(\.recordID)
        guard let records = try await attempt("Deleted records", await snapshot.records(for: ids, keys: [])) else {
            return
        }
        for (deletion, record) in zip(deletions, records) where record != nil {
            collector.add(
                IntegrityIssue(
                    .changeFeed, "The record exists, but the change feed says that it was deleted.",
                    recordType: deletion.recordType, recordID: deletion.recordID, isRepairable: true))
        }
    }

    /// Finds the differences between the feed of a zone and its records.
    private func findDifferences(in zoneID: RecordZone.ID, listed: Int) async throws {
        var hasFound = false
        func add(_ id: RecordID, _ message: String) {
            hasFound = true
            collector.add(IntegrityIssue(.changeFeed, message, recordID: id, isRepairable: true))
        }
        for type in schema.recordTypes.keys.sorted() {
            var plan = try plan(of: type, in: zoneID, keys: [])
            while let page = try await attempt("The \(type) records", await snapshot.records(matching: plan)) {
                for record in page where collector.hasRoom(for: .changeFeed) {
                    let changes = try await snapshot.changes(
                        in: zoneID, after: record.sequenceNumber.decremented, limit: 1, of: .all(fields: []))
                    if changes.first?.record.map(ChangeIdentity.init) == ChangeIdentity(record) { continue }
                    add(
                        record.recordID,
                        "The change feed does not list the record under its number, \(record.sequenceNumber).")
                }
                try pause()
                guard page.count == plan.limit, let last = page.last else { break }
                plan = try plan.continued(after: last)
            }
        }
        var position = Int64.min
        while collector.hasRoom(for: .changeFeed),
            let page = try await attempt(
                "The change feed",
                await snapshot.changes(in: zoneID, after: position, limit: Self.pageSize, of: .all(fields: [])))
        {
            let saved = page.compactMap(\.record)
            for (record, stored) in zip(saved, try await snapshot.records(for: saved.map(\.recordID), keys: []))
            where stored.map(ChangeIdentity.init) != ChangeIdentity(record) {
                add(record.recordID, "The change feed lists the record with other content.")
            }
            try pause()
            guard page.count == Self.pageSize, let last = page.last, last.sequenceNumber > position else { break }
            position = last.sequenceNumber
        }
        if hasFound { return }
        collector.add(
            IntegrityIssue(
                .changeFeed,
                "The change feed lists \(listed.counted("record")), and the zone has \(contents[zoneID]?.count ?? 0).",
                zoneID: zoneID, isRepairable: true))
    }
}

extension Int64 {
    /// One less, unless it is the lowest number.
    fileprivate var decremented: Int64 { self == .min ? self : self - 1 }
}
