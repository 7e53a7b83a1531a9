import Cabinet
import CloudKit
import Foundation

extension ICloudRequestHandler {
    func response(to request: QueryRecordsRequest) async throws -> QueryRecordsRequest.Response {
        let database = try database(request.scope)
        if request.isOfTransaction {
            throw CloudKitGap.preconditions.error("Read the records of the transaction by their IDs.")
        }
        guard request.resultsLimit >= 0 else {
            throw CabinetError(
                .invalidArguments, "The results limit is \(request.resultsLimit); expected 0 or more.")
        }
        let query = try QueryWriter(user: user).query(request.query)
        var cursor = try request.position.map(Self.cursor)
        var records: [Record] = []
        let reader = reader(request.scope)
        repeat {
            let operation = cursor.map(CKQueryOperation.init(cursor:)) ?? CKQueryOperation(query: query)
            if cursor == nil { operation.zoneID = request.zoneID?.object(user: user) }
            operation.desiredKeys = request.desiredKeys
            // A live query for all records asks for as many as CloudKit gives at once.
            let limit = request.resultsLimit - (request.observes ? records.count : 0)
            operation.resultsLimit = limit == .max || limit > Int32.max ? CKQueryOperation.maximumResults : limit
            let page = try await page(of: operation, from: database)
            for result in page.results {
                records.append(try reader.record(try result.get(), isPartial: request.desiredKeys != nil))
            }
            cursor = page.cursor
            // An observer shows the whole result, and CloudKit decides how much a page has of it.
        } while request.observes && cursor != nil && (request.resultsLimit == 0 || records.count < request.resultsLimit)
        return .init(records, position: try cursor.map { QueryPosition(marker: try Archive.text(of: $0)) })
    }

    private func page(
        of operation: CKQueryOperation, from database: CKDatabase
    ) async throws -> (results: [Result<CKRecord, any Error>], cursor: CKQueryOperation.Cursor?) {
        let found = Collector<Result<CKRecord, any Error>>()
        operation.recordMatchedBlock = { found.append($1) }
        let cursor = try await database.run(operation) { $0.queryResultBlock = $1 }
        return (found.items, cursor)
    }

    private static func cursor(_ position: QueryPosition) throws(CabinetError) -> CKQueryOperation.Cursor {
        guard let cursor = position.marker.flatMap({ Archive.object(CKQueryOperation.Cursor.self, of: $0) }) else {
            throw CabinetError(
                .invalidArguments, "The cursor is not one of iCloud. A cursor continues a query where it began.")
        }
        return cursor
    }
}
