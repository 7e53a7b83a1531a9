extension BatchIndex {
    /// Numbers the records of a request.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if an ID occurs twice.
    init(_ request: ModifyRequest) throws(CabinetError) {
        try self.init(saving: request.recordsToSave.lazy.map(\.recordID), deleting: request.recordIDsToDelete)
    }

    /// Creates the response to a request.
    ///
    /// - Parameters:
    ///   - saveResult: Returns the result of the record to save at a position.
    ///   - deleteResult: Returns the result of the record to delete at a position.
    func response(
        saveResult: (Int) -> Result<Record, CabinetError>, deleteResult: (Int) -> Result<Void, CabinetError>
    ) -> ModifyResponse {
        // Mapping the values keeps the hash table, so the keys are not hashed again.
        ModifyResponse(saveResults: saved.mapValues(saveResult), deleteResults: deleted.mapValues(deleteResult))
    }
}
