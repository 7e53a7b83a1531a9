import Cabinet
import Foundation

/// The roots of hierarchies, which a request shares by naming them.
extension CloudKitEndpoint {
    /// Returns the short GUIDs of the shares whose roots are among some records.
    func shortGUIDs(ofRootsAmong records: [Record]) async throws -> [RecordID: String] {
        let shareIDs = Set(records.compactMap { $0.share?.recordID })
        var shortGUIDs: [RecordID: String] = [:]
        for record in try await shares(withIDs: Array(shareIDs)) {
            shortGUIDs[record.recordID] = try Share(record).url?.lastPathComponent
        }
        return shortGUIDs
    }

    /// Fetches the shares that the records of a response need.
    ///
    /// The client has not asked for them, and so they do not count toward the limit of its request. The endpoint does not know the
    /// service's limit, and halves what exceeds it.
    ///
    /// - Returns: The shares that exist.
    func shares(withIDs ids: [RecordID]) async throws -> [Record] {
        if ids.isEmpty { return [] }
        var request = FetchRecordsRequest(in: scope)
        request.recordIDs = ids
        do {
            return try await perform(request).results.compactMap(\.record)
        } catch CabinetError.Code.limitExceeded where ids.count > 1 {
            let half = ids.count / 2
            return try await shares(withIDs: Array(ids.prefix(half))) + shares(withIDs: Array(ids.dropFirst(half)))
        }
    }

    /// Returns the shares that a participant leaves, of every version: those among the records that a batch deletes.
    func shares(amongDeletionsOf batch: RecordBatch) async throws -> Set<RecordID> {
        let ids = batch.operations.filter { $0.kind == .delete }.map(\.id)
        if scope != .shared || ids.isEmpty { return [] }
        var request = FetchRecordsRequest(in: scope)
        (request.recordIDs, request.desiredKeys) = (ids, [])
        let found = try await perform(request).results.compactMap(\.record)
        return Set(found.lazy.filter { $0.recordType == Share.recordType }.map(\.recordID))
    }

    /// Fetches the roots of new shares that the batch does not save itself, and compares their change tags.
    ///
    /// - Returns: The roots, each with the position of the operation that shares it.
    func roots(of batch: inout RecordBatch) async throws -> [(position: Int, record: Record)] {
        let saved = Set(batch.operations.map(\.id))
        var seen: Set<RecordID> = []
        let sharing = batch.positions { operation in
            operation.root.map { !saved.contains($0.id) && seen.insert($0.id).inserted } ?? false
        }
        if sharing.isEmpty { return [] }
        var request = FetchRecordsRequest(in: scope)
        request.recordIDs = sharing.compactMap { batch.operations[$0].root?.id }
        request.desiredKeys = []
        var roots: [(position: Int, record: Record)] = []
        for (position, result) in zip(sharing, try await perform(request).results) {
            switch result {
            case .success(let record) where record.recordChangeTag == batch.operations[position].root?.tag:
                roots.append((position, record))
            case .success(let record):
                let error = CabinetError(
                    .serverRecordChanged, "The record to share was changed since it was fetched.",
                    recordID: record.recordID)
                batch.fail(position, byRoot: error)
            case .failure(let error):
                let isUnknown = error.code == .unknownItem
                batch.fail(
                    position,
                    byRoot: isUnknown ? CabinetError(.unknownItem, CloudKitShare.nothingToShare) : error)
            }
        }
        return roots
    }
}
