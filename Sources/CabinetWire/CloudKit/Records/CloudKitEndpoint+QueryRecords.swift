import Cabinet
import Foundation

extension CloudKitEndpoint {
    /// Answers `records/query`.
    func queryRecords(_ root: JSONNode) async throws -> CloudKitResponse {
        let query = try root.required("query").object()
        var request = QueryRecordsRequest(in: scope)
        let isZoneWide = try root["zoneWide"]?.bool() ?? false
        request.zoneID = try zoneID(in: root) ?? (isZoneWide ? nil : .default)
        let recordType = try query.required("recordType").string()
        var fields: [Record.FieldKey: FieldType] = [:]
        // Filters and sort keys name fields, and values may lack their types.
        if query["filterBy"] != nil || query["sortBy"] != nil {
            let schema = try await perform(FetchSchemaRequest(in: scope))
            fields = (schema.recordTypes[recordType]?.fields ?? [:]).mapValues(\.type)
        }
        request.query = try CloudKitQuery.read(
            query, recordType: recordType, fields: fields, zoneID: request.zoneID, mapZone: canonical)
        request.desiredKeys = try Self.desiredKeys(root)?.sorted()
        request.resultsLimit = try Self.limit(root)
        if let marker = try root["continuationMarker"]?.string() {
            request.position = try position(marker, of: request)
        }
        let token = answersSyncToken ? try await currentToken(of: request.zoneID ?? .default) : nil
        let response = try await perform(request)
        let found = try await withWholeShares(response.records, ifLimitedTo: request.desiredKeys)
        let records = try await recordWriter(of: found, numbersAsStrings: try Self.numbersAsStrings(root))
        return try CloudKitResponse { writer throws(CabinetError) in
            try writer.member("records", found) { writer, record throws(CabinetError) in
                try records.write(record, to: &writer)
            }
            if let position = response.position {
                writer.member("continuationMarker", try marker(after: position, of: request))
            }
            if let token { writer.member("syncToken", token) }
        }
    }

    /// Returns the text that names a position of a query.
    ///
    /// It has the record type, the order and the zone. The filter may change between two pages, which shifts nothing.
    private func marker(after position: QueryPosition, of request: QueryRecordsRequest) throws(CabinetError) -> String {
        var marker = QueryRecordsRequest(in: scope)
        marker.query = Query(recordType: request.query.recordType, sortedBy: request.query.sortDescriptors)
        marker.zoneID = request.zoneID
        marker.position = position
        return seal(try QueryRecordsRequest.coding.encode(marker))
    }

    private func position(_ marker: String, of request: QueryRecordsRequest) throws(CabinetError) -> QueryPosition {
        let found = try open(marker, "a continuation marker") as QueryRecordsRequest
        let order = request.query.sortDescriptors
        guard found.scope == scope, found.query.recordType == request.query.recordType, found.zoneID == request.zoneID,
            found.query.sortDescriptors == order, let position = found.position, position.values.count == order.count
        else {
            throw CabinetError(
                .invalidArguments,
                "The continuation marker is of another query. Send the query that it was returned for.")
        }
        return position
    }
}
