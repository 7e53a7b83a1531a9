/// A pending change is an entry beside its record, written by the transaction of the edit.
extension PendingChange {
    /// The keys of all pending changes.
    static let allKeys = StorageKey.all("mirror", "change")

    /// The keys of the pending changes in a zone.
    static func keys(in zoneID: RecordZone.ID) -> Range<StorageKey> {
        StorageKey.all("mirror", "change", zoneID.ownerName, zoneID.zoneName)
    }

    /// The key of a record's pending change.
    static func key(_ id: RecordID) -> StorageKey {
        StorageKey("mirror", "change", id.zoneID.ownerName, id.zoneID.zoneName, id.recordName)
    }

    /// Creates the keys of many records, whose zones are few.
    struct Keys {
        private var zoneID: RecordZone.ID?
        private var zoneKey = StorageKey("")

        /// The key of a record's pending change.
        mutating func key(_ id: RecordID) -> StorageKey {
            if id.zoneID != zoneID {
                zoneID = id.zoneID
                zoneKey = StorageKey("mirror", "change", id.zoneID.ownerName, id.zoneID.zoneName)
            }
            return zoneKey.appending(id.recordName)
        }
    }

    /// Reads the changes of adjacent entries, whose zones are few.
    ///
    /// The entries of the records that one transaction has created have the same text.
    struct Reader {
        private var zoneID: RecordZone.ID?
        private var prefix = ""
        private var last: (text: String, change: PendingChange)?

        /// Reads a change from its entry.
        mutating func change(_ entry: StorageEntry) throws(CabinetError) -> PendingChange {
            let id = try recordID(entry)
            if var change = last?.change, last?.text.hasSameScalars(as: entry.text) == true {
                change.recordID = id
                return change
            }
            let change = try PendingChange(id, entry)
            last = (entry.text, change)
            return change
        }

        private mutating func recordID(_ entry: StorageEntry) throws(CabinetError) -> RecordID {
            let text = entry.key.text
            if let zoneID, text.hasPrefix(prefix) {
                let name = text.utf8.dropFirst(prefix.utf8.count)
                // An encoded name is decoded below.
                if !name.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "/") }) {
                    return RecordID(recordName: String(Substring(name)), zoneID: zoneID)
                }
            }
            let names = entry.key.names
            guard names.count == 5 else { throw .damagedEntry(entry.key, entry.text) }
            let zoneID = RecordZone.ID(zoneName: names[3], ownerName: names[2])
            self.zoneID = zoneID
            prefix = PendingChange.keys(in: zoneID).lowerBound.text
            return RecordID(recordName: names[4], zoneID: zoneID)
        }
    }

    /// Reads a change from its entry.
    init(_ entry: StorageEntry) throws(CabinetError) {
        var reader = Reader()
        self = try reader.change(entry)
    }

    /// Reads the change of a record from its entry.
    init(_ id: RecordID, _ entry: StorageEntry) throws(CabinetError) {
        self = try entry.codedValue()
        recordID = id
    }

    /// The text of the entry.
    var text: String { get throws(CabinetError) { try StorageEntry.codedText(of: self) } }

    /// The mutation that stores the change.
    var mutation: StorageMutation {
        get throws(CabinetError) { .setEntry(Self.key(recordID), try text) }
    }
}

extension PendingChange: CodedObject {
    init() { self.init(recordID: RecordID(recordName: ""), number: 0, ancestor: nil) }

    /// Codes all but the record, which the key of the entry names.
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var (isServers, others) = (isIncoming ? true : nil as Bool?, affected.isEmpty ? nil : affected as [RecordID]?)
        try coder.part("number", &number)
        try coder.part("ancestor", &ancestor)
        try coder.part("deletedAncestor", &deletedAncestor)
        try coder.part("creationNumber", &creationNumber)
        try coder.part("error", &error)
        try coder.part("isIncoming", &isServers)
        try coder.part("effect", &effect)
        try coder.part("affected", &others)
        (isIncoming, affected) = (isServers ?? false, others ?? [])
    }
}

extension DeletionEffect: CodedObject {
    init() { self.init(cause: RecordID(recordName: ""), record: nil) }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var isDone: Bool? = isCarriedOut ? true : nil
        try coder.part("cause", &cause)
        try coder.part("target", &target)
        try coder.part("record", &record)
        try coder.part("isCarriedOut", &isDone)
        isCarriedOut = isDone ?? false
    }
}

/// The numbers of pending changes, which are an entry of their own, so that the status needs no count.
package struct PendingCounts: Sendable, Hashable {
    /// The number of pending changes of records and zones, those set aside included.
    package var pending = 0

    /// The number of pending changes that are set aside.
    package var setAside = 0

    /// Creates counts.
    package init() {}

    static let key = StorageKey("mirror", "counts")

    /// Reads the counts from the text of their entry.
    init(text: String?) throws(CabinetError) {
        guard let text else { return }
        var reader = EntryReader(text)
        guard let pending = reader.number(), let setAside = reader.number() else {
            throw .damagedEntry(Self.key, text)
        }
        // Room for further changes, because the stored numbers may be damaged.
        (self.pending, self.setAside) = (Int(Int32(clamping: pending)), Int(Int32(clamping: setAside)))
    }

    /// Counts that a record or zone has another pending change.
    mutating func replace(_ old: (isPending: Bool, isSetAside: Bool), by new: (isPending: Bool, isSetAside: Bool)) {
        pending += (new.isPending ? 1 : 0) - (old.isPending ? 1 : 0)
        setAside += (new.isSetAside ? 1 : 0) - (old.isSetAside ? 1 : 0)
    }

    /// Counts that a record has another pending change.
    mutating func replace(_ old: PendingChange?, by new: PendingChange?) {
        replace((old != nil, old?.error != nil), by: (new != nil, new?.error != nil))
    }

    /// The mutation that stores the counts.
    var mutation: StorageMutation { .setEntry(Self.key, "\(pending) \(setAside)") }
}

/// The numbers of pending changes at one moment.
package struct PendingState: Sendable, Hashable {
    /// The numbers.
    package let counts: PendingCounts

    /// The last number of the local store at this moment; a later state has a higher one.
    package let number: Int64

    /// Whether assets are missing that are to be fetched at once.
    package var lacksAssets = false
}

extension StorageEntry {
    /// Reads a value that crosses the seam from the entry.
    func codedValue<Value: Coded>() throws(CabinetError) -> Value {
        do {
            return try ServiceCoding<Value>().decode(Array(text.utf8))
        } catch {
            throw .damagedEntry(key, text)
        }
    }

    /// Returns the text of an entry with a value that crosses the seam.
    static func codedText<Value: Coded>(of value: Value) throws(CabinetError) -> String {
        String(decoding: try ServiceCoding<Value>().encode(value), as: UTF8.self)
    }
}
