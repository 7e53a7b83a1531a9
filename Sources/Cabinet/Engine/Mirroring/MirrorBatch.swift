import Foundation

/// A request that a mirror sends: an entry from before it is sent until its answer is applied.
///
/// If the answer is lost, the same request is sent again, with the same ID, also by another process and after a restart.
package struct MirrorBatch: Sendable {
    /// The request.
    package var request: ModifyRecordsRequest

    /// The numbers of the pending changes, of the saves first.
    var numbers: [Int64]

    /// The server's change tags of their ancestors.
    var tags: [String?]

    /// The changes with their records, as they were read; none for a request that was stored.
    private(set) var items: [PendingRecord] = []

    /// The text of the entry, if it was encoded ahead.
    private(set) var encoded: String?

    /// Creates the request for changes.
    ///
    /// - Parameters:
    ///   - saves: The records to save.
    ///   - deletions: The records to delete, whose versions on the server must be those that are known.
    ///   - scope: The database.
    package init(
        saving saves: [PendingRecord], deleting deletions: [PendingRecord], in scope: DatabaseScope
    ) {
        let all = saves + deletions
        items = all
        numbers = all.map(\.change.number)
        tags = all.map(\.change.ancestor?.recordChangeTag)
        request = ModifyRecordsRequest(in: scope)
        request.isAtomic = false
        request.requestID = UUID()
        request.recordsToSave = saves.compactMap(\.record)
        request.recordIDsToDelete = deletions.map(\.change.recordID)
        let known = deletions.compactMap { item in
            item.change.ancestor?.recordChangeTag.map { (item.change.recordID, $0) }
        }
        if !known.isEmpty { request.expect(Dictionary(known, uniquingKeysWith: { first, _ in first })) }
    }

    /// Encodes the entry ahead, so that the transaction that stores it takes less time.
    package mutating func encode() { encoded = try? StorageEntry.codedText(of: self) }

    /// The text of the entry.
    var text: String {
        get throws(CabinetError) {
            if let encoded { return encoded }
            return try StorageEntry.codedText(of: self)
        }
    }

    /// The request for a server that recognizes no repetition, and compares no versions of the records to delete.
    package var plainRequest: ModifyRecordsRequest {
        var request = request
        (request.requestID, request.reads) = (nil, nil)
        return request
    }

    /// The number of records of the request.
    package var count: Int { request.recordsToSave.count + request.recordIDsToDelete.count }

    /// The records of the request.
    package var recordIDs: [RecordID] { request.recordsToSave.map(\.recordID) + request.recordIDsToDelete }

    /// The server's change tags of the versions that the request expects; `nil` where none is known.
    package var expectedTags: [RecordID: String?] { sent.mapValues(\.tag) }

    /// The versions of the store in which the changes were read; none for a request that was stored.
    package var versions: [MirrorVersion] {
        var versions: [MirrorVersion] = []
        for item in items where item.version != versions.last { versions.append(item.version) }
        return versions
    }

    /// The numbers of the pending changes as they were sent, by record.
    package var sentNumbers: [RecordID: Int64] { sent.mapValues(\.number) }

    /// The changes as they were sent, by record.
    var sent: [RecordID: SentChange] {
        var sent: [RecordID: SentChange] = [:]
        forEachSent { sent[$0] = $1 }
        return sent
    }

    /// Returns the changes as they were sent, of the records of an index.
    func sent(by index: BatchIndex) -> PerRecord<SentChange> {
        var sent = PerRecord<SentChange>(index)
        var next = 0
        forEachSent { id, change in
            guard let position = index.position(of: id, expectedAt: next) else { return }
            sent[position] = change
            next = position + 1
        }
        return sent
    }

    /// Calls a closure with the changes that the request was formed from, and their positions in an index.
    func forEachItem(of index: BatchIndex, _ body: (Int, PendingRecord) -> Void) {
        var next = 0
        for item in items {
            guard let position = index.position(of: item.change.recordID, expectedAt: next) else { continue }
            body(position, item)
            next = position + 1
        }
    }

    private func forEachSent(_ body: (RecordID, SentChange) -> Void) {
        for (position, record) in request.recordsToSave.enumerated() where position < numbers.count {
            body(record.recordID, SentChange(number: numbers[position], tag: tags[position], record: record))
        }
        let first = request.recordsToSave.count
        for (position, id) in request.recordIDsToDelete.enumerated() where first + position < numbers.count {
            body(id, SentChange(number: numbers[first + position], tag: tags[first + position], record: nil))
        }
    }
}

extension MirrorBatch: CodedObject {
    init() {
        (request, numbers, tags) = (ModifyRecordsRequest(), [], [])
    }

    static let key = StorageKey("mirror", "batch")

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("request", &request)
        try coder.part("numbers", &numbers)
        try coder.part("tags", &tags)
        if tags.count != numbers.count {
            throw CabinetError(
                .invalidArguments, "A batch has \(tags.count) change tags for \(numbers.count) numbers.")
        }
    }
}

/// A pending change with the local record.
///
/// It is a class because a send passes it on many times.
package final class PendingRecord: Sendable {
    /// The change.
    package let change: PendingChange

    /// The local record as a change of its ancestor; `nil` if it was deleted.
    package let record: Record?

    /// The local record as it is stored.
    let stored: StoredRecord?

    /// The version of the store in which both were read.
    let version: MirrorVersion

    /// The records that must be on the server before this one can be saved.
    package let targets: [RecordID]

    init(_ change: PendingChange, _ local: StoredRecord?, _ version: MirrorVersion) {
        (self.change, self.version) = (change, version)
        stored = local
        let record = local.map(change.client)
        self.record = record
        targets = record.map { Self.targets(of: $0, change.recordID) } ?? []
    }

    /// Whether the server has a record of another type under the ID, which must be deleted first.
    package var replacesType: Bool {
        guard let record, let ancestor = change.ancestor else { return false }
        return record.recordType != ancestor.recordType
    }

    private static func targets(of record: Record, _ id: RecordID) -> [RecordID] {
        var targets: [RecordID] = []
        record.fields.forEachReference {
            if $0.action != .none, $0.recordID != id { targets.append($0.recordID) }
        }
        if let parent = record.parent, parent.recordID != id { targets.append(parent.recordID) }
        return targets
    }
}
