/// The positions of a batch's records: first those to save, then those to delete.
///
/// A record's ID is hashed once, and everything that is known of the record is found by its position.
struct BatchIndex: Sendable {
    /// The IDs by position.
    let ids: [RecordID]
    private var saved: [RecordID: Int]
    private var deleted: [RecordID: Int] = [:]

    /// - Throws: ``CabinetError/Code/invalidArguments`` if an ID occurs twice.
    init(_ request: ModifyRequest) throws(CabinetError) {
        var ids: [RecordID] = []
        ids.reserveCapacity(request.count)
        saved = Dictionary(minimumCapacity: request.recordsToSave.count)
        for record in request.recordsToSave {
            let id = record.recordID
            if saved.updateValue(ids.count, forKey: id) != nil {
                throw CabinetError(
                    .invalidArguments, "The batch saves the record twice; it can be saved once.", recordID: id)
            }
            ids.append(id)
        }
        for id in request.recordIDsToDelete {
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

    /// The position of a record, or `nil` if it is none of the batch's.
    func position(of id: RecordID) -> Int? {
        saved[id] ?? deleted[id]
    }

    /// The answers to a request.
    ///
    /// - Parameters:
    ///   - saveResult: What became of the record to save at a position.
    ///   - deleteResult: What became of the record to delete at a position.
    func response(
        saveResult: (Int) -> Result<Record, CabinetError>, deleteResult: (Int) -> Result<Void, CabinetError>
    ) -> ModifyResponse {
        // Mapping the values keeps the places of the keys, which are not hashed again.
        ModifyResponse(saveResults: saved.mapValues(saveResult), deleteResults: deleted.mapValues(deleteResult))
    }
}

extension ModifyRequest {
    /// The number of records to save and to delete.
    var count: Int { recordsToSave.count + recordIDsToDelete.count }
}

/// Something about some records of a batch.
struct BatchValues<Value: Sendable>: Sendable {
    private let index: BatchIndex
    /// By position.
    private(set) var values: [Value?]

    init(_ index: BatchIndex) {
        self.index = index
        values = Array(repeating: nil, count: index.ids.count)
    }

    subscript(position: Int) -> Value? {
        get { values[position] }
        set { values[position] = newValue }
    }

    subscript(id: RecordID) -> Value? { index.position(of: id).flatMap { values[$0] } }
}
