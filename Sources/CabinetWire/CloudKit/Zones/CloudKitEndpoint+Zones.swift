import Cabinet

extension CloudKitEndpoint {
    /// Answers `zones/list`.
    func listZones() async throws -> CloudKitResponse {
        try await zonesResponse(nil)
    }

    /// Answers `zones/lookup`.
    func lookUpZones(_ root: JSONNode) async throws -> CloudKitResponse {
        try await zonesResponse(
            try Self.items(root, "zones").map { item throws(CabinetError) in
                canonical(try CloudKitZone.read(item["zoneID"] ?? item))
            })
    }

    private func zonesResponse(_ ids: [RecordZone.ID]?) async throws -> CloudKitResponse {
        var request = FetchZonesRequest(in: scope)
        request.zoneIDs = ids
        // The position is read first, so that no change falls between it and the zones.
        let position = try await endPosition()
        let results = try await perform(request).results
        return try CloudKitResponse { writer throws(CabinetError) in
            try writer.member("zones", Array(results.indices)) { writer, index throws(CabinetError) in
                switch results[index] {
                case .success(let zone): try write(zone, at: position, to: &writer)
                case .failure(let error): try write(error, of: ids?[index] ?? .default, to: &writer)
                }
            }
        }
    }

    /// Whether the records of a zone can be saved in one transaction.
    func isAtomic(_ zoneID: RecordZone.ID) -> Bool {
        scope != .public && zoneID.zoneName != RecordZone.ID.defaultZoneName
    }

    private func write(
        _ zone: RecordZone, at position: FeedPosition?, to writer: inout JSONWriter
    ) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            try writer.zone(zone.zoneID, caller.account?.userRecordName)
            if let position { writer.member("syncToken", try token(position, of: zone.zoneID)) }
            writer.member("atomic", isAtomic(zone.zoneID))
        }
    }

    /// Writes an error in the position of a zone.
    func write(
        _ error: CabinetError, of zoneID: RecordZone.ID, to writer: inout JSONWriter
    ) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            try writer.zone(zoneID, caller.account?.userRecordName)
            CloudKitFailure(error: error).writeMembers(to: &writer)
        }
    }

    /// Answers `zones/modify`, whose operations are carried out in order, each by itself.
    func modifyZones(_ root: JSONNode) async throws -> CloudKitResponse {
        var operations: [(zoneID: RecordZone.ID, deletes: Bool)] = []
        var seen: Set<RecordZone.ID> = []
        for item in try Self.items(root, "operations") {
            let type = try item.required("operationType")
            guard ["create", "delete"].contains(try type.string()) else {
                throw type.error(expected: "create or delete")
            }
            let zone = try item.required("zone")
            let zoneID = canonical(try CloudKitZone.read(zone["zoneID"] ?? zone))
            guard seen.insert(zoneID).inserted else {
                throw item.error(expected: "another zone, because the request names this one twice")
            }
            operations.append((zoneID, try type.string() == "delete"))
        }
        var results: [CabinetError?] = []
        for operation in operations {
            var request = ModifyZonesRequest(in: scope)
            if operation.deletes {
                request.zoneIDsToDelete = [operation.zoneID]
            } else {
                request.zonesToSave = [RecordZone(zoneID: operation.zoneID)]
            }
            do {
                let response = try await perform(request)
                let saveError = response.saveResults.first.flatMap { result -> CabinetError? in
                    if case .failure(let error) = result { error } else { nil }
                }
                results.append(saveError ?? response.deleteErrors.first ?? nil)
            } catch let error as CabinetError where !results.isEmpty {
                results.append(error)
            }
        }
        // The zones exist also if this read fails.
        let position = operations.allSatisfy(\.deletes) ? nil : try? await endPosition()
        return try CloudKitResponse { [results] writer throws(CabinetError) in
            try writer.member("zones", Array(operations.indices)) { writer, index throws(CabinetError) in
                let operation = operations[index]
                if let error = results[index] {
                    try write(error, of: operation.zoneID, to: &writer)
                } else if operation.deletes {
                    try writer.object { writer throws(CabinetError) in
                        try writer.zone(operation.zoneID, caller.account?.userRecordName)
                        writer.member("deleted", true)
                    }
                } else {
                    try write(RecordZone(zoneID: operation.zoneID), at: position, to: &writer)
                }
            }
        }
    }
}
