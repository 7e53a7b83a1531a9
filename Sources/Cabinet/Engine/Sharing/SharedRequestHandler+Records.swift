import Foundation

extension SharedRequestHandler {
    func response(to request: FetchRecordsRequest) async throws -> FetchRecordsRequest.Response {
        let request = local.ownerRule.canonical(request)
        try local.checkCount(request.recordIDs.count)
        try local.check(request.reads, in: .shared)
        try local.strictSchema?.rule.check(desiredKeys: request.desiredKeys)
        var response = FetchRecordsRequest.Response(
            results: request.recordIDs.map { .failure(ZoneRule.notFound($0.zoneID, in: .shared, recordID: $0)) })
        if let reads = request.reads {
            let route = try commonRoute(to: reads.zoneIDs + request.recordIDs.map(\.zoneID))
            guard let route else {
                let database = try local.databaseToRead(.shared)
                response.end = try await local.read(database) { try await $0.timelineEnd() }
                return response
            }
            for zoneID in request.recordIDs.map(\.zoneID) + reads.zoneIDs {
                try await checkBeforePreparing(zoneID, route)
            }
            return try await answer(request, route)
        }
        for group in groups(of: request.recordIDs.lazy.map(\.zoneID)) {
            var part = request
            part.recordIDs = group.positions.map { request.recordIDs[$0] }
            if let strictSchema = local.strictSchema, !strictSchema.isPrepared(group.route.database),
                try await !takesPart(inOneOf: part.recordIDs.map(\.zoneID), group.route)
            {
                continue
            }
            let results = try await answer(part, group.route).results
            for (position, result) in zip(group.positions, results) { response.results[position] = result }
        }
        return response
    }

    private func answer(
        _ request: FetchRecordsRequest, _ route: ZoneRoute
    ) async throws -> FetchRecordsRequest.Response {
        var response = try await answering(route) {
            try await $0.response(to: route.ownerRule(of: user).canonical(request))
        }
        var ids = CallerIDs(route)
        response.results = response.results.map { route.callerResult($0, for: user, &ids) }
        return response
    }

    func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        let request = local.ownerRule.canonical(request)
        try local.checkCount(request.count)
        try local.check(request.reads, in: .shared)
        let index = try BatchIndex(request)
        if request.hasEntries || request.isOfMigration {
            throw CabinetError(
                .permissionFailure, "Only the owner of shared zones stores texts and migrates records there.")
        }
        var response = ModifyRecordsRequest.Response()
        response.saveResults = request.recordsToSave.map {
            .failure(ZoneRule.notFound($0.recordID.zoneID, in: .shared, recordID: $0.recordID))
        }
        response.deleteErrors = request.recordIDsToDelete.map {
            ZoneRule.notFound($0.zoneID, in: .shared, recordID: $0)
        }
        if index.ids.isEmpty, request.asksForPosition, let zoneID = request.zoneID {
            let group = Group(route: try route(to: zoneID))
            if try await !takesPart(inOneOf: [zoneID], group.route) { throw ZoneRule.notFound(zoneID, in: .shared) }
            let part = try part(of: request, group)
            return try await answering(group.route) { try await $0.response(to: part) }
        }
        if request.isUndivided { _ = try commonRoute(to: index.ids.map(\.zoneID) + (request.reads?.zoneIDs ?? [])) }
        let groups = groups(of: index.ids.lazy.map(\.zoneID))
        if groups.count > 1, request.asksForPosition {
            throw CabinetError(
                .invalidArguments, "A position is of one zone; the request names zones of several owners.")
        }
        let saveCount = request.recordsToSave.count
        var parts: [(group: Group, request: ModifyRecordsRequest)] = []
        for var group in groups {
            let zoneIDs = group.positions.map { index.ids[$0].zoneID }
            let access = try await access(to: zoneIDs, group.route)
            if access.isEmpty { continue }
            let rule = group.route.ownerRule(of: user)
            let leaves = group.positions.filter { $0 >= saveCount && access.hasShare(rule.canonical(index.ids[$0])) }
            if !leaves.isEmpty, index.ids.count > 1 || request.isUndivided {
                throw CabinetError(
                    .invalidArguments, "A share is left in a request of its own, because nothing else can follow it.",
                    recordID: index.ids[leaves[0]])
            }
            for position in leaves {
                response.deleteErrors[position - saveCount] = try await leaving(index.ids[position], group.route)
            }
            group.positions.removeAll(where: leaves.contains)
            if !group.positions.isEmpty { parts.append((group, try part(of: request, group))) }
        }
        try await prepare(parts.map(\.group.route))
        for (number, (group, part)) in parts.enumerated() {
            var answer: ModifyRecordsRequest.Response
            do {
                answer = try await answering(group.route) { try await $0.response(to: part) }
            } catch {
                if number == 0 { throw error }
                // The parts before this one are committed, so the request has a result.
                let error = error as? CabinetError ?? CabinetError(.internalError, "\(error)", underlyingError: error)
                answer = part.failed(error)
            }
            if !answer.missingAssets.isEmpty {
                if number == 0 { return answer }
                answer = part.failed(Self.missingAssets)
            }
            response.position = answer.position ?? response.position
            var ids = CallerIDs(group.route)
            for (position, result) in zip(group.positions.filter { $0 < saveCount }, answer.saveResults) {
                response.saveResults[position] = group.route.callerResult(result, for: user, &ids)
            }
            for (position, error) in zip(group.positions.filter { $0 >= saveCount }, answer.deleteErrors) {
                response.deleteErrors[position - saveCount] = error.map { group.route.callerError($0, for: user) }
            }
        }
        return response
    }

    private static let missingAssets = CabinetError(
        .assetNotAvailable,
        "The owner's database lacks an asset of the records in this owner's zones. Save them in a batch of their own.")

    /// Prepares the databases of several owners before the first one is changed, so that the request is not repeated after that.
    private func prepare(_ routes: [ZoneRoute]) async throws {
        guard routes.count > 1, let strictSchema = local.strictSchema else { return }
        if strictSchema.source != nil, !local.isSchemaCurrent { throw OutdatedSchemaError() }
        for route in routes { try await answering(route) { try await $0.prepare(route.database) } }
    }

    /// Leaves a share, and returns the error if that is impossible.
    private func leaving(_ shareID: RecordID, _ route: ZoneRoute) async throws -> CabinetError? {
        do {
            try await leave(shareID, route)
            return nil
        } catch let error as CabinetError where [.zoneNotFound, .permissionFailure].contains(error.code) {
            return error
        }
    }

    /// Returns the part of a request that one owner's database answers, in the names of that database.
    private func part(
        of request: ModifyRecordsRequest, _ group: Group
    ) throws(CabinetError) -> ModifyRecordsRequest {
        let rule = group.route.ownerRule(of: user)
        let saveCount = request.recordsToSave.count
        var part = request
        part.recordsToSave = []
        part.recordIDsToDelete = []
        part.refusals = [:]
        for position in group.positions {
            if position >= saveCount {
                part.recordIDsToDelete.append(rule.canonical(request.recordIDsToDelete[position - saveCount]))
                continue
            }
            var record = request.recordsToSave[position]
            let id = rule.canonical(record.recordID)
            // The names of the owner's database no longer distinguish a reference to the user's own zone.
            part.refusals[id] = request.refusals[record.recordID] ?? ValueRule.violation(in: record)
            record.mapRecordIDs(includingStored: true, rule.canonical)
            part.recordsToSave.append(record)
        }
        part.zoneID = request.zoneID.map(rule.canonical)
        part.reads = request.reads.map(rule.canonical)
        part.uploads = local.service.uploads.uploads(request.uploads, of: local.caller, in: group.route.database)
        return part
    }

    /// Reads bytes of an asset that a record of a shared zone has.
    func bytes(of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>) async throws -> Data {
        let recordID = local.ownerRule.canonical(recordID)
        guard let route = ZoneRoute(toShared: recordID.zoneID, for: user) else {
            throw ZoneRule.notFound(recordID.zoneID, in: .shared, recordID: recordID)
        }
        return try await answering(route) {
            try await $0.bytes(
                of: asset, of: route.ownerRule(of: user).canonical(recordID), in: range, scope: .shared)
        }
    }

    /// Begins an upload to the database that has the zone.
    func response(to request: BeginUploadRequest) async throws -> BeginUploadRequest.Response {
        guard let zoneID = request.zoneID.map(local.ownerRule.canonical) else {
            throw CabinetError(
                .invalidArguments,
                "An upload to the shared database names the zone of the record that will have the asset.")
        }
        let route = try route(to: zoneID)
        let id = RecordID(recordName: "", zoneID: route.ownerRule(of: user).canonical(zoneID))
        if var violation = try await access(to: [zoneID], route).violation(of: .write, inZoneOf: id) {
            violation.recordID = nil
            throw violation
        }
        return try await answering(route) { try await $0.response(to: request) }
    }
}

extension ModifyRecordsRequest {
    /// Returns the response in which every record has an error.
    fileprivate func failed(_ error: CabinetError) -> Response {
        func failure(_ id: RecordID) -> CabinetError {
            var error = error
            error.recordID = id
            return error
        }
        return Response(recordsToSave.map { .failure(failure($0.recordID)) }, recordIDsToDelete.map(failure))
    }
}
