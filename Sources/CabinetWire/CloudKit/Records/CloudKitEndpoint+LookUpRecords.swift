import Cabinet

extension CloudKitEndpoint {
    /// Answers `records/lookup`.
    func lookUpRecords(_ root: JSONNode) async throws -> CloudKitResponse {
        let zoneID = try self.zoneID(in: root) ?? .default
        let keys = try Self.desiredKeys(root)
        var request = FetchRecordsRequest(in: scope)
        var keysOfItems: [Set<Record.FieldKey>?] = []
        for item in try Self.items(root, "records") {
            let zoneID = try self.zoneID(in: item) ?? zoneID
            request.recordIDs.append(
                RecordID(recordName: try item.required("recordName").string(), zoneID: zoneID))
            keysOfItems.append(try Self.desiredKeys(item) ?? keys)
        }
        // A request has one list of keys: the union, from which each record gets its own.
        if keysOfItems.allSatisfy({ $0 != nil }) {
            request.desiredKeys = Set(keysOfItems.compactMap(\.self).joined()).sorted()
        }
        let token = answersSyncToken ? try await currentToken(of: zoneID) : nil
        var results = request.recordIDs.isEmpty ? [] : try await perform(request).results
        let found = try await withWholeShares(results.compactMap(\.record), ifLimitedTo: request.desiredKeys)
        let shares = found.filter { $0.recordType == Share.recordType }
        for (position, result) in results.enumerated() {
            guard let id = result.record?.recordID, let share = shares.first(where: { $0.recordID == id }) else {
                continue
            }
            results[position] = .success(share)
        }
        let records = try await recordWriter(of: found, numbersAsStrings: try Self.numbersAsStrings(root))
        return try CloudKitResponse { writer throws(CabinetError) in
            try writer.member("records", Array(results.indices)) { writer, position throws(CabinetError) in
                try write(
                    results[position], of: request.recordIDs[position], keys: keysOfItems[position], by: records,
                    to: &writer)
            }
            if let token { writer.member("syncToken", token) }
        }
    }
}
