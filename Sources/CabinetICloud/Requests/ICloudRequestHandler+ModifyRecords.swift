import Cabinet
import CloudKit
import Foundation

extension ICloudRequestHandler {
    func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        let database = try database(request.scope, toWrite: true)
        let request = request.canonical(for: user)
        try checkParts(of: request)
        if request.isOfTransaction { try checkTransaction(request) }
        var batch = RecordBatch(request)
        try await addSystemFields(to: &batch, from: database)
        addShares(to: &batch)
        var writer = RecordWriter(
            user: user, participants: try await participants(of: batch), file: { assets.uploads.file(of: $0) })
        batch.write(request.recordsToSave, by: &writer)
        if !writer.missingAssets.isEmpty {
            var response = ModifyRecordsRequest.Response([], [])
            response.missingAssets = writer.missingAssets
            return response
        }
        if request.isAtomic { batch.failZones() }
        try await send(&batch, to: database)
        if !batch.saved.isEmpty || !batch.deleted.isEmpty { signals.send(to: request.scope) }
        if request.isOfTransaction { try throwConflict(of: request, in: batch) }
        return .init(
            request.recordsToSave.map { batch.saveResult(of: $0.recordID) },
            request.recordIDsToDelete.map { batch.failures[$0] })
    }

    /// Refuses what CloudKit does not store with records.
    private func checkParts(of request: ModifyRecordsRequest) throws(CabinetError) {
        if request.isOfMigration { throw CloudKitGap.migrations.error() }
        if request.hasEntries { throw CloudKitGap.entries.error() }
        if request.asksForPosition { throw CloudKitGap.tokens.error("Fetch the changes of the zone instead.") }
        if request.requestID != nil {
            throw CloudKitGap.repetition.error("Read the records before you save them again.")
        }
    }

    /// Refuses a transaction whose reads CloudKit would not check.
    ///
    /// It compares the versions of saved records, in one custom zone together. A record that was read and did not exist is checked
    /// by its creation.
    private func checkTransaction(_ request: ModifyRecordsRequest) throws(CabinetError) {
        if request.hasReadQueries { throw CloudKitGap.preconditions.error("The transaction has queried.") }
        let saved = Set(request.recordsToSave.map(\.recordID))
        for read in request.readTags where !saved.contains(read.recordID) {
            throw CloudKitGap.preconditions.error(
                "The transaction has read this record, and does not save it.", recordID: read.recordID)
        }
        let zones = Set((request.recordsToSave.map(\.recordID) + request.recordIDsToDelete).map(\.zoneID))
        let isSingle = request.recordsToSave.count + request.recordIDsToDelete.count <= 1
        guard isSingle || zones.count == 1 && zones.first?.zoneName != RecordZone.ID.defaultZoneName else {
            throw CloudKitGap.preconditions.error("It saves several records together in one custom zone alone.")
        }
    }

    /// Throws the conflict of a record that the transaction has read, so that it runs again.
    private func throwConflict(of request: ModifyRecordsRequest, in batch: RecordBatch) throws(CabinetError) {
        for read in request.readTags {
            if let failure = batch.failures[read.recordID], failure.code == .serverRecordChanged { throw failure }
        }
    }

    /// Gives each record to save an object, with the system fields of its version if the save compares them.
    ///
    /// The policy `changedKeys` compares whether the record exists, and `allKeys` nothing.
    private func addSystemFields(to batch: inout RecordBatch, from database: CKDatabase) async throws {
        let scope = batch.request.scope
        var unknown: [RecordID: String] = [:]
        for record in batch.request.recordsToSave where batch.failures[record.recordID] == nil {
            let id = record.recordID
            let isShare = record.recordType == CKRecord.SystemType.share
            guard let tag = record.recordChangeTag else {
                // A share of a hierarchy is created from the object of its root.
                if isShare, id.recordName != Share.zoneWideRecordName { continue }
                batch.objects[id] =
                    isShare
                    ? CKShare(recordZoneID: id.zoneID.object(user: user))
                    : CKRecord(recordType: record.recordType, recordID: id.object(user: user))
                continue
            }
            if isShare {
                // The participants do not travel in fields: they are compared with the server's.
                unknown[id] = tag
                continue
            }
            batch.objects[id] = systemFields.object(id, tag, in: scope)
            if batch.objects[id] != nil { continue }
            if batch.request.savePolicy == .allKeys {
                batch.objects[id] = CKRecord(recordType: record.recordType, recordID: id.object(user: user))
            } else {
                unknown[id] = tag
            }
        }
        if unknown.isEmpty { return }
        // Fetched without fields, so that no assets are downloaded.
        let found = try await objects(Array(unknown.keys), from: database, [])
        let reader = reader(scope)
        for (id, tag) in unknown {
            guard let result = found[id.object(user: user)] else {
                batch.failures[id] = CabinetError(.internalError, "iCloud gave no result.", recordID: id)
                continue
            }
            switch result {
            case .success(let object) where object.recordChangeTag == tag: batch.objects[id] = object
            case .success(let object) where batch.request.savePolicy == .changedKeys:
                batch.objects[id] = object
            case .success: batch.failures[id] = try await conflict(id, from: database, reader)
            case .failure(let error): batch.failures[id] = CabinetError(cloudKit: error, of: id, reader)
            }
        }
    }

    /// Gives each new share of a hierarchy an object, from that of its root.
    private func addShares(to batch: inout RecordBatch) {
        for record in batch.request.recordsToSave {
            let id = record.recordID
            guard record.recordType == CKRecord.SystemType.share, batch.objects[id] == nil, batch.failures[id] == nil
            else { continue }
            guard let root = (try? Share(record))?.rootRecordID, let object = batch.objects[root] else {
                batch.failures[id] = CabinetError(
                    .invalidArguments,
                    "A new share of a hierarchy is saved in one batch with its root, and this batch has none of its records.",
                    recordID: id)
                continue
            }
            batch.objects[id] = CKShare(rootRecord: object, shareID: id.object(user: user))
        }
    }

    /// Returns the error of a save that is based on another version than the server's.
    private func conflict(
        _ id: RecordID, from database: CKDatabase, _ reader: RecordReader
    ) async throws -> CabinetError {
        var error = CabinetError(
            .serverRecordChanged,
            "The record has changed since it was fetched. Merge your changes into the server's record, and save that.",
            recordID: id)
        if case .success(let object)? = try await objects([id], from: database, nil)[id.object(user: user)] {
            error.setServerRecord(reader.result(object))
        }
        return error
    }

    /// Sends the changes that have not failed, and records their results.
    ///
    /// - Throws: The error of the first operation. The failure of a later one is that of the records that were not sent.
    private func send(_ batch: inout RecordBatch, to database: CKDatabase) async throws {
        let changes = batch.changesToSend
        // An atomic batch that is too large for one operation is refused by CloudKit.
        let parts = batch.request.isAtomic ? [changes[...]] : Array(changes.parts(of: Self.maximumCount))
        let reader = reader(batch.request.scope)
        for (position, part) in parts.enumerated() where !part.isEmpty {
            let operation = CKModifyRecordsOperation(
                recordsToSave: part.compactMap { $0.isDeletion ? nil : batch.objects[$0.id] },
                recordIDsToDelete: part.filter(\.isDeletion).map { $0.id.object(user: user) })
            operation.savePolicy = .init(batch.request.savePolicy)
            operation.isAtomic = batch.request.isAtomic
            let saves = Collector<(CKRecord.ID, Result<CKRecord, any Error>)>()
            let deletions = Collector<(CKRecord.ID, Result<Void, any Error>)>()
            operation.perRecordSaveBlock = { saves.append(($0, $1)) }
            operation.perRecordDeleteBlock = { deletions.append(($0, $1)) }
            let failure = await failure(of: operation, on: database, reader)
            if let failure, failure.code != .partialFailure {
                if position == 0 { throw failure }
                for change in parts[position...].joined() { batch.failures[change.id] = failure }
                return
            }
            for (id, result) in saves.items { batch.record(result, ofSave: reader.recordID(id), reader) }
            for (id, result) in deletions.items { batch.record(result, ofDeletion: reader.recordID(id), reader) }
            batch.complete(part.map(\.id), failure)
        }
    }
}

extension ICloudRequestHandler {
    private func failure(
        of operation: CKModifyRecordsOperation, on database: CKDatabase, _ reader: RecordReader
    ) async -> CabinetError? {
        do {
            try await database.run(operation) { $0.modifyRecordsResultBlock = $1 }
            return nil
        } catch {
            return CabinetError(cloudKit: error, reader)
        }
    }
}

extension CKModifyRecordsOperation.RecordSavePolicy {
    /// Creates CloudKit's policy of a name.
    fileprivate init(_ policy: RecordSavePolicy) {
        switch policy {
        case .ifServerRecordUnchanged: self = .ifServerRecordUnchanged
        case .changedKeys: self = .changedKeys
        case .allKeys: self = .allKeys
        }
    }
}
