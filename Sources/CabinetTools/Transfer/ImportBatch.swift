import Cabinet

/// The records to save and delete in one transaction, in the order of their lines; the last line of a record counts.
struct ImportBatch {
    /// The effect of a line.
    struct Item {
        let id: RecordID
        /// The record to save; `nil` for a deletion.
        var record: Record?
        /// The line's bytes in the file.
        let range: Range<Int>
        /// The fields that a stored record loses; `nil` for all that the record to save lacks.
        var removedKeys: Set<Record.FieldKey>?
    }

    private var slots: [Item?] = []
    private var positions: [RecordID: Int] = [:]
    /// The number of bytes of the lines.
    private(set) var byteCount = 0

    var isEmpty: Bool { positions.isEmpty }
    var count: Int { positions.count }
    var items: [Item] { slots.compactMap(\.self) }

    subscript(id: RecordID) -> Item? { positions[id].flatMap { slots[$0] } }

    /// Adds an item, which replaces an earlier one of the same record.
    mutating func add(_ item: Item) {
        if let position = positions[item.id] { slots[position] = nil }
        positions[item.id] = slots.count
        slots.append(item)
        byteCount += item.range.count
    }

    /// Replaces the record of an item.
    mutating func replace(_ id: RecordID, with record: Record) {
        if let position = positions[id] { slots[position]?.record = record }
    }

    /// Removes an item, and returns it.
    @discardableResult
    mutating func remove(_ id: RecordID) -> Item? {
        guard let position = positions.removeValue(forKey: id) else { return nil }
        defer { slots[position] = nil }
        return slots[position]
    }
}
