/// The positions of a batch's records: first those to save, then those to delete.
///
/// Each record ID is hashed once. All other data of the record is found by its position.
struct BatchIndex: Sendable {
    /// The IDs by position.
    let ids: [RecordID]
    private(set) var saved: [RecordID: Int]
    private(set) var deleted: [RecordID: Int] = [:]

    /// Numbers the records of a batch.
    ///
    /// - Parameters:
    ///   - savedIDs: The records to save.
    ///   - deletedIDs: The records to delete.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if an ID occurs twice.
    init(saving savedIDs: some Collection<RecordID>, deleting deletedIDs: [RecordID]) throws(CabinetError) {
        var ids: [RecordID] = []
        ids.reserveCapacity(savedIDs.count + deletedIDs.count)
        saved = Dictionary(minimumCapacity: savedIDs.count)
        for id in savedIDs {
            if saved.updateValue(ids.count, forKey: id) != nil {
                throw CabinetError(
                    .invalidArguments, "The batch saves the record twice; it can be saved once.", recordID: id)
            }
            ids.append(id)
        }
        for id in deletedIDs {
            if saved[id] != nil {
                throw CabinetError(
                    .invalidArguments, "The batch saves and deletes the record; it can do one of them.", recordID: id)
            }
            if deleted.updateValue(ids.count, forKey: id) != nil {
                throw CabinetError(
                    .invalidArguments, "The batch deletes the record twice; it can be deleted once.", recordID: id)
            }
            ids.append(id)
        }
        self.ids = ids
    }

    /// Returns the position of a record, or `nil` if the batch does not have it.
    func position(of id: RecordID) -> Int? {
        saved[id] ?? deleted[id]
    }

    /// Returns the position of a record, without hashing it if it is the expected one.
    func position(of id: RecordID, expectedAt position: Int) -> Int? {
        position < ids.count && ids[position] == id ? position : self.position(of: id)
    }
}

/// A value for each of some records of a batch.
struct PerRecord<Value: Sendable>: Sendable {
    private let index: BatchIndex
    /// The values by position.
    private(set) var values: [Value?]

    init(_ index: BatchIndex) {
        self.index = index
        values = Array(repeating: nil, count: index.ids.count)
    }

    subscript(position: Int) -> Value? {
        get { values[position] }
        set { values[position] = newValue }
    }

    /// Returns the values without those of some records.
    func omitting(_ ids: some Sequence<RecordID>) -> Self {
        var copy = self
        for id in ids {
            if let position = index.position(of: id) { copy.values[position] = nil }
        }
        return copy
    }

    subscript(id: RecordID) -> Value? { index.position(of: id).flatMap { values[$0] } }
}
