package import Foundation

extension Database {
    /// Saves and deletes records in one transaction that the service recognizes by an ID, and returns the result for each record.
    ///
    /// If a record fails, no record is changed in any zone.
    ///
    /// - Returns: The results, and a token that expires if the store is replaced by one without these changes.
    /// - Throws: The errors of the whole request.
    package func itemResults(
        saving recordsToSave: [Record], deleting recordIDsToDelete: [RecordID], savePolicy: RecordSavePolicy,
        requestID: UUID
    ) async throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>],
        changeToken: ServerChangeToken?
    ) {
        try checkZones(of: recordsToSave.lazy.map(\.recordID))
        try checkZones(of: recordIDsToDelete)
        var request = ModifyRecordsRequest(
            scope: databaseScope, recordsToSave: recordsToSave, recordIDsToDelete: recordIDsToDelete,
            savePolicy: savePolicy, requestID: requestID, asksForPosition: true)
        request.expect([:])
        let response = try await client.modify(request)
        let results = try response.results(of: recordsToSave, recordIDsToDelete)
        return (results.saveResults, results.deleteResults, response.position.map { token($0, zoneID: nil) })
    }

    /// Returns the token of the earlier request with an ID.
    ///
    /// The service remembers a request for ten minutes at least.
    ///
    /// - Returns: `nil` if the service has not carried out the request, if that has changed nothing, or if the service has forgotten it.
    package func changeToken(afterRequest id: UUID) async throws -> ServerChangeToken? {
        let request = ModifyRecordsRequest(scope: databaseScope, requestID: id, asksForPosition: true)
        let response = try await client.perform(request)
        if response.saveResults.isEmpty, response.deleteErrors.isEmpty { return nil }
        return response.position.map { token($0, zoneID: nil) }
    }
}
