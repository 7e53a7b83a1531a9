/// Zones, one after the other, and each in the order of its changes.
extension CopyPass {
    /// Copies what has changed in zones, from where the pass is to its end.
    func copy(_ zones: [StoredZone], _ note: inout CopyNote) async throws {
        guard let pass = note.pass else { return }
        for zone in zones where zone.rank >= pass.zone {
            // A zone in which nothing has happened since costs nothing.
            let place = note.place(ofPassIn: zone)
            if zone.changeNumber <= place { continue }
            note.pass?.zone = zone.rank
            note.pass?.place = place
            if place > 0, zone.expirationNumber > place { try await removeMissing(in: zone, &note) }
            try await copyChanges(in: zone, &note)
        }
        note.copiedNumber = pass.number
        note.pass = nil
        try await write(&note) { _ in CopyCounts() }
    }

    /// Copies the changes of a zone, page by page.
    private func copyChanges(in zone: StoredZone, _ note: inout CopyNote) async throws {
        while let place = note.pass?.place {
            try checkCancellation()
            let found = try await source.changes(
                in: zone.zoneID, after: place, limit: Self.pageSize, of: .all(fields: nil))
            if found.isEmpty { return }
            var assets = try await CopyAssets(of: found, from: source, to: target, database: database, meter: meter)
            let page = CopyPage(zoneID: zone.zoneID, changes: Array(found.prefix(assets.changeCount)))
            note.pass?.place = page.changes.last?.sequenceNumber ?? place
            do {
                try await assets.upload(checkCancellation)
                let uploads = assets.uploads
                try await write(&note) { try await page.apply(to: $0, uploads) }
                await assets.end()
            } catch {
                await assets.end()
                throw error
            }
        }
    }

    /// Removes the records of a zone that the source does not have any more, and whose deletions it has forgotten.
    private func removeMissing(in zone: StoredZone, _ note: inout CopyNote) async throws {
        var place: Int64 = 0
        while true {
            try checkCancellation()
            let page = try await target.read(database) { [place] snapshot in
                try await snapshot.changes(
                in: zone.zoneID, after: place, limit: 1000, of: .all(fields: []))
            }
            guard let last = page.last?.sequenceNumber else { return }
            place = last
            let ids = page.compactMap(\.record?.recordID)
            let missing = zip(ids, try await source.records(for: ids, keys: [])).filter { $1 == nil }.map(\.0)
            if missing.isEmpty { continue }
            try await write(&note) { transaction in
                try await CopyPage(zoneID: zone.zoneID).remove(missing, from: transaction)
            }
        }
    }

    /// Writes in one transaction, together with how far the copy has come.
    func write(
        _ note: inout CopyNote, _ body: @escaping @Sendable (any StorageTransaction) async throws -> CopyCounts
    ) async throws {
        let (written, counts) = try await target.write(database) { [note] transaction in
            var note = note
            try await note.check(in: transaction)
            let counts = try await body(transaction)
            try await note.write(to: transaction)
            return (note, counts)
        }
        note = written
        meter.count(counts)
    }
}

extension CopyNote {
    /// The number up to which everything in a zone is copied that the pass under way has still to look at.
    fileprivate func place(ofPassIn zone: StoredZone) -> Int64 {
        guard let pass, zone.rank == pass.zone else { return copiedNumber }
        return max(copiedNumber, pass.place)
    }
}
