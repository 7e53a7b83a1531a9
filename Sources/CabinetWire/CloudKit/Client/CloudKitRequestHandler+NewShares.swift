import Cabinet

extension CloudKitRequestHandler {
    /// Shares hierarchies after their roots were saved: the service wants the change tag of a saved root, and not the root itself.
    ///
    /// - Parameters:
    ///   - shares: The saves of the new shares.
    ///   - saves: The results of the records that the request saved before.
    ///   - isFailed: Whether another record of the zone has failed.
    /// - Returns: The results of the shares, and the roots with their new change tags.
    func saveShares(
        _ shares: [RecordChange], in zoneID: RecordZone.ID, _ request: ModifyRecordsRequest, _ assets: UploadedValues,
        after saves: [RecordID: Result<Record, CabinetError>], isFailed: Bool
    ) async throws -> [(RecordID, Result<Record, CabinetError>)] {
        if request.isAtomic, isFailed { return shares.map { ($0.id, .failure(Self.failedWithOther)) } }
        var results: [(RecordID, Result<Record, CabinetError>)] = []
        var rootTags: [RecordID: String] = [:]
        var sent: [RecordChange] = []
        for share in shares {
            guard let root = share.root else { continue }
            if let tag = (saves[root].flatMap { try? $0.get() })?.recordChangeTag {
                rootTags[root] = tag
                sent.append(share)
            } else {
                results.append((share.id, .failure(ShareRule.rootIsMissing(root, of: share.id))))
            }
        }
        for part in sent.parts(of: CloudKitEndpoint.maximumCount) {
            do {
                for (id, result) in try await send(Array(part), in: zoneID, request, assets, rootTags: rootTags) {
                    results.append((id, result.flatMap { record in Self.saved(record, id) }))
                }
            } catch let error as CabinetError {
                // The roots, and the shares before, are saved.
                results += part.map { ($0.id, .failure(error)) }
            }
        }
        results = results.map { id, result in (id, result.mapError { Self.after(saves.count, $0) }) }
        // A root has another change tag after it was shared.
        var lookup = FetchRecordsRequest(in: request.scope)
        lookup.recordIDs = Array(rootTags.keys)
        if lookup.recordIDs.isEmpty { return results }
        // With its old tag, the next save of a root is a conflict.
        guard let roots = try? await response(to: lookup).results else { return results }
        return results + zip(lookup.recordIDs, roots)
    }

    private static func saved(_ record: Record?, _ id: RecordID) -> Result<Record, CabinetError> {
        record.map(Result.success)
            ?? .failure(CabinetError(.internalError, "The server left the share out.", recordID: id))
    }

    /// Returns the error of a share, which says if other records were saved.
    private static func after(_ count: Int, _ error: CabinetError) -> CabinetError {
        if count == 0 { return error }
        var error = error
        error.message += " The other records were changed: CloudKit Web Services saves a new share after its root."
        return error
    }
}
