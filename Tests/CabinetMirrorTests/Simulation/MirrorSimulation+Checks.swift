import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation

extension MirrorSimulation {
    /// Compares the server with its last known content, after a request that may have changed it.
    func recordHistory() async {
        do {
            let records = try await contents(of: observer)
            for id in ids where records[id] != history[id]?.last ?? nil {
                let record = records[id]
                note(
                    "  \(id.recordName) is \(record.map { $0.map { "\($0.key): \($0.value.prefix(12))" }.sorted().joined(separator: ", ") } ?? "nothing") on the server"
                )
                if let record { check(record, of: id) }
                history[id]?.append(record)
            }
        } catch {
            fail("The server was not read: \(error)")
        }
    }

    /// Fails if a text returns that another one has replaced since the record was created.
    private func check(_ record: [String: String], of id: RecordID) {
        let life = (history[id] ?? []).reversed().prefix { $0 != nil }.compactMap(\.self)
        for field in Self.fields {
            guard let text = record[field], let last = life.first?[field], last != text else { continue }
            if life.contains(where: { $0[field] == text }) {
                fail(
                    "'\(text.prefix(12))' returns as \(id.recordName).\(field) after '\(last.prefix(12))' had replaced it."
                )
            }
        }
    }

    /// Whether the server has the zone that a request deletes.
    func hasZone(toDeleteBy request: some ServiceRequest) async -> Bool {
        guard let request = request as? ModifyZonesRequest, request.zoneIDsToDelete.contains(zone) else { return false }
        return (try? await observer.recordZone(for: zone)) != nil
    }

    /// Fails if a device has deleted the zone again, which another one has created since.
    func deletedZone(by index: Int) {
        if !devices[index].mayDeleteZone { fail("Device \(index) has deleted the zone again.") }
        devices[index].mayDeleteZone = false
    }

    /// Fails if a device sends what only a deletion has done to other records here: the server decides about them.
    func checkEffects(in request: some ServiceRequest, of index: Int) {
        guard let request = request as? ModifyRecordsRequest else { return }
        for id in request.recordIDsToDelete where !devices[index].deleted.contains(id) {
            fail("Device \(index) sends the deletion of \(id.recordName), which its program has not deleted.")
        }
        for record in request.recordsToSave where !devices[index].cleared.contains(record.recordID) {
            guard record.changedKeys().contains("near"), record["near"] == nil else { continue }
            fail("Device \(index) clears \(record.recordID.recordName).near, which its program has not cleared.")
        }
    }

    /// Returns the texts of all records of a database.
    func contents(of database: Database) async throws -> [RecordID: [String: String]] {
        // The feed of the public database is the server's, also through a mirror.
        if scope == .public {
            return texts(of: try await database.allRecords(matching: Query(recordType: "Notes")))
        }
        var found: [RecordID: [String: String]] = [:]
        for zoneID in Set(ids.map(\.zoneID)) {
            do {
                let changes = database.recordZoneChangeSequence(inZoneWith: zoneID, since: nil)
                for try await page in changes {
                    let notes = page.modifications.map(\.record).filter { Self.types.contains($0.recordType) }
                    found.merge(texts(of: notes)) { $1 }
                }
            } catch CabinetError.Code.zoneNotFound {
                continue
            }
        }
        return found
    }

    private func texts(of records: [Record]) -> [RecordID: [String: String]] {
        var found: [RecordID: [String: String]] = [:]
        for record in records {
            var texts = ["type": record.recordType]
            for key in Self.fields { texts[key] = record[key] }
            for key in ["link", "near"] {
                if let target: Reference = record[key] { texts[key] = target.recordID.recordName }
            }
            found[record.recordID] = texts
        }
        return found
    }

    /// Lets a device send undisturbed, and checks that the server has had its last edits.
    func settle(_ index: Int) async {
        guard devices[index].isAlive, devices[index].callCount == 0, failure == nil else { return }
        isDisturbed = false
        await synchronize(index)
        await checkEdits(of: index)
        isDisturbed = true
    }

    private func synchronize(_ index: Int) async {
        // A process that was killed has the lease until it ends.
        advance(by: constants.leaseDuration + 1)
        await perform("fetches", index) { try await $0.fetchChanges() }
        await perform("sends", index) { try await $0.sendChanges() }
        await perform("fetches", index) { try await $0.fetchChanges() }
    }

    private func checkEdits(of index: Int) async {
        guard let mirror = devices[index].mirror, failure == nil else { return }
        let pending: [MirrorChange]
        do {
            pending = try await mirror.pendingChanges(in: scope, limit: 100)
        } catch {
            return fail("Device \(index) cannot say what is pending: \(error)")
        }
        for (id, mistake) in droppedTexts.mistakes {
            // A record that was deleted may be created again with an earlier text of this device, by another one.
            let versions = (history[id] ?? []).drop { $0 == nil }
            if versions.allSatisfy({ $0 != nil }) { fail(mistake) }
        }
        let open = Set(pending.map(\.recordID))
        if pending.isEmpty != mirror.status.isIdle {
            fail("Device \(index) is '\(mirror.status)' with \(pending.count) pending changes.")
        }
        for change in pending where change.error == nil && change.waitingFor == nil {
            if pending.contains(where: { $0.error != nil }) { continue }
            fail("Device \(index) has not sent \(change.recordID.recordName): \(pending).")
        }
        for edit in devices[index].edits where !open.contains(edit.id) && !droppedTexts.contains(edit.text) {
            let versions = history[edit.id] ?? []
            if versions.contains(where: { $0?[edit.field] == edit.text }) { continue }
            // Another client's deletion may win.
            if !constants.editsWin, versions.last == .some(nil) || versions.dropFirst().contains(where: { $0 == nil }) {
                continue
            }
            fail(
                "The server never had '\(edit.text.prefix(12))' as \(edit.id.recordName).\(edit.field) of device \(index)."
            )
        }
    }

    /// Heals everything, and expects all devices to have what the server has.
    func finish() async throws {
        for index in devices.indices {
            devices[index].isCutOff = false
            // A device that was killed amidst a call has started by now.
            if !devices[index].isAlive { fail("Device \(index) does not live at the end.") }
        }
        if scope == .shared, !isShared { await changeShare() }
        for round in 0..<8 where failure == nil {
            note("round \(round)")
            for index in devices.indices {
                await synchronize(index)
                await checkEdits(of: index)
                if round > 1 { await discardAll(index) }
            }
        }
        let expected = try await contents(of: observer)
        for index in devices.indices where failure == nil {
            guard let database = devices[index].database, let mirror = devices[index].mirror else { continue }
            let own = try await contents(of: database)
            if own != expected {
                let entries = await devices[index].mirrorEntries()
                fail("Device \(index) has \(own.brief); the server has \(expected.brief).\n\(entries)")
            }
            if !mirror.status.isIdle { fail("Device \(index) is '\(mirror.status)' at the end.") }
        }
    }

    private func discardAll(_ index: Int) async {
        await perform("discards", index) { mirror in
            let ids = try await mirror.pendingChanges(in: scope, limit: 100).filter { $0.error != nil }.map(\.recordID)
            defer { for id in ids { devices[index].forgetEdits(of: id) } }
            try await mirror.discard(ids, in: scope)
        }
    }
}

extension [RecordID: [String: String]] {
    fileprivate var brief: String {
        map { "\($0.key.recordName) \($0.value.mapValues { $0.prefix(12) }.sorted { $0.key < $1.key })" }.sorted()
            .joined(separator: ", ")
    }
}
