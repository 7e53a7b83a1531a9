import Cabinet

/// Copies zones, one after the other, and each in the order of its changes.
extension CopyPass {
    /// Copies the changes in zones, from the position of the pass to its end.
    mutating func copy(_ zones: [StoredZone], _ checkpoint: inout CopyCheckpoint) async throws {
        guard let pass = checkpoint.pass else { return }
        for zone in zones where zone.rank >= pass.zone {
            // An unchanged zone costs nothing.
            let position = checkpoint.positionOfPass(in: zone)
            if zone.changeNumber <= position { continue }
            checkpoint.pass?.zone = zone.rank
            checkpoint.pass?.position = position
            if position > 0, zone.expirationNumber > position { try await removeMissing(in: zone, &checkpoint) }
            try await copyChanges(in: zone, &checkpoint)
        }
        checkpoint.copiedNumber = pass.number
        checkpoint.pass = nil
        try await write(&checkpoint) { _ in CopyPage.Plan() }
    }

    /// Copies the changes of a zone, page by page.
    private mutating func copyChanges(in zone: StoredZone, _ checkpoint: inout CopyCheckpoint) async throws {
        while let position = checkpoint.pass?.position {
            try checkCancellation()
            let found = try await source.changes(
                in: zone.zoneID, after: position, limit: Self.pageSize, of: .all(fields: nil))
            if found.isEmpty { return }
            if pagesLeft == 0 { throw Interruption() }
            pagesLeft -= 1
            var assets = try await CopyAssets(of: found, from: source, to: target, database: database, meter: meter)
            let page = CopyPage(zoneID: zone.zoneID, changes: Array(found.prefix(assets.changeCount)))
            checkpoint.pass?.position = page.changes.last?.sequenceNumber ?? position
            do {
                try await assets.upload(checkCancellation)
                let uploads = assets.uploads
                try await write(&checkpoint) { try await page.plan(in: $0, uploads) }
                await assets.end()
            } catch {
                await assets.end()
                throw error
            }
        }
    }

    /// Removes the records of a zone that the source no longer has, and whose deletions it has forgotten.
    private func removeMissing(in zone: StoredZone, _ checkpoint: inout CopyCheckpoint) async throws {
        var position: Int64 = 0
        while true {
            try checkCancellation()
            let page = try await target.read(database) { [position] snapshot in
                try await snapshot.changes(in: zone.zoneID, after: position, limit: 1000, of: .all(fields: []))
            }
            guard let last = page.last?.sequenceNumber else { return }
            position = last
            let ids = page.compactMap(\.record?.recordID)
            let exists = try await source.load(StorageKeys(existing: ids)).existing
            let missing = zip(ids, exists).filter { !$1 }.map(\.0)
            if missing.isEmpty { continue }
            try await write(&checkpoint) { transaction in
                try await CopyPage(zoneID: zone.zoneID).plan(removing: missing, in: transaction)
            }
        }
    }

    /// Changes the target in one transaction, together with the checkpoint.
    private func write(
        _ checkpoint: inout CopyCheckpoint,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> CopyPage.Plan
    ) async throws {
        let (written, counts) = try await target.write(database) { [checkpoint] transaction in
            var checkpoint = checkpoint
            try await checkpoint.check(in: transaction)
            let plan = try await body(transaction)
            try await checkpoint.apply(plan.mutations, to: transaction)
            // Last: a record of this page may use an asset that another one of it no longer has.
            try await AssetRule.removeUnused(plan.releasedAssets, in: transaction)
            return (checkpoint, plan.counts)
        }
        checkpoint = written
        meter.count(counts)
    }
}

extension CopyCheckpoint {
    /// The number up to which the current pass has copied a zone that it has not finished.
    fileprivate func positionOfPass(in zone: StoredZone) -> Int64 {
        guard let pass, zone.rank == pass.zone else { return copiedNumber }
        return max(copiedNumber, pass.position)
    }
}
