import Cabinet
import CloudKit
import Foundation

extension ICloudRequestHandler {
    func response(to request: FetchRecordsRequest) async throws -> FetchRecordsRequest.Response {
        let database = try database(request.scope)
        if request.isOfTransaction, request.recordIDs.isEmpty {
            throw CloudKitGap.preconditions.error("A token for the end of the database is a part of a transaction.")
        }
        let known = request.readTags
        let results = try await fetch(
            request.recordIDs + known.map(\.recordID), from: database, request.desiredKeys, request.scope)
        let found = request.recordIDs.map { self.result(of: $0, in: results) { $0 } }
        guard request.isOfTransaction else { return .init(found) }
        // All reads of a transaction are of one state.
        for read in known where results[read.recordID].flatMap({ try? $0.get().recordChangeTag }) != read.changeTag {
            throw ReadRule.changedRecord(read.recordID)
        }
        return .init(ofTransaction: found)
    }

    /// Fetches records; the results include one for each ID that has a valid name.
    func fetch(
        _ ids: [RecordID], from database: CKDatabase, _ desiredKeys: [Record.FieldKey]?, _ scope: DatabaseScope
    ) async throws -> [RecordID: Result<Record, any Error>] {
        let reader = reader(scope)
        var results: [RecordID: Result<Record, any Error>] = [:]
        var valid: [RecordID] = []
        for id in ids {
            // CloudKit ends the program on some malformed names.
            if let violation = id.nameViolation { results[id] = .failure(violation) } else { valid.append(id) }
        }
        for part in valid.parts(of: Self.maximumCount) {
            let objects = try await objects(Array(part), from: database, desiredKeys)
            for id in part {
                results[id] = objects[id.object(user: user)].map { result in
                    Result {
                        do {
                            return try reader.record(try result.get(), isPartial: desiredKeys != nil)
                        } catch {
                            throw CabinetError(cloudKit: error, of: id, reader)
                        }
                    }
                }
            }
        }
        return results
    }

    /// Fetches objects by ID, in one operation.
    func objects(
        _ ids: [RecordID], from database: CKDatabase, _ desiredKeys: [Record.FieldKey]?
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        if ids.isEmpty { return [:] }
        let operation = CKFetchRecordsOperation(recordIDs: ids.map { $0.object(user: user) })
        operation.desiredKeys = desiredKeys
        let found = Collector<(CKRecord.ID, Result<CKRecord, any Error>)>()
        operation.perRecordResultBlock = { found.append(($0, $1)) }
        do {
            try await database.run(operation) { $0.fetchRecordsResultBlock = $1 }
        } catch {
            // Failures of single records may be reported again as one of the operation.
            guard CabinetError(cloudKit: error).code == .partialFailure else { throw error }
        }
        return Dictionary(found.items, uniquingKeysWith: { first, _ in first })
    }
}
