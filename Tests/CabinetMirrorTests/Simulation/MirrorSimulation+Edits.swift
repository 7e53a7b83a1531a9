import Cabinet
import Foundation

extension MirrorSimulation {
    /// Changes something on a device, as its program does.
    func edit(_ index: Int) async {
        guard devices[index].isAlive, let database = devices[index].database else { return }
        devices[index].callCount += 1
        devices[index].editCount += 1
        depth += 1
        defer { depth -= 1 }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: await delete(pick(ids), index, database)
        case 4: await deleteAndSaveAgain(pick(ids), index, database)
        case 3:
            switch scope {
            case .private: await deleteZone(index, database)
            case .shared: await changeShare()
            case .public: break
            }
        default: await save(pick(ids), index, database)
        }
        await end(index)
    }

    private func save(_ id: RecordID, _ index: Int, _ database: Database) async {
        let field = pick(Self.fields)
        // The server refuses a record that is too large.
        let text = "\(index).\(countEdit())" + (chance(5) ? String(repeating: "x", count: 2_500) : "")
        let parent = chance(30) ? pick(ids.filter { $0.zoneID == id.zoneID && $0 != id }) : nil
        note("device \(index) sets \(id.recordName).\(field) to \(text.prefix(12))")
        let edit = SimulatedEdit(id: id, field: field, text: text)
        let count = devices[index].editCount
        saveOrder.begin(text)
        do {
            if scope == .private, id.zoneID == zone, devices[index].lacksZone {
                try await database.save(RecordZone(zoneID: zone))
                devices[index].lacksZone = false
            }
            var record: Record
            do {
                record = try await database.record(for: id)
            } catch CabinetError.Code.unknownItem {
                record = Record(recordType: hasTypes && chance(30) ? Self.types[1] : Self.types[0], recordID: id)
                devices[index].cleared.insert(id)
                // Its deletion is not sent, or the server's cascade passes it over, and so the effects that it had are.
                if devices[index].deleted.contains(id) || devices[index].cascaded.contains(id) {
                    devices[index].replacedDeleted(ids)
                }
            }
            // An edit replaces a record of another type that another device has created under the name.
            if hasTypes { devices[index].deleted.insert(id) }
            record[field] = text
            if let parent {
                record["link"] = Reference(recordID: parent, action: .deleteSelf)
            } else if chance(30) {
                record["link"] = nil
            }
            if parent != nil { devices[index].deleted.insert(id) }
            // CloudKit has no such references.
            if kind == .cabinet, chance(20) {
                record["near"] = Reference(
                    recordID: pick(ids.filter { $0.zoneID == id.zoneID && $0 != id }), action: .nullify)
                devices[index].cleared.insert(id)
            }
            try await database.save(record)
            saveOrder.end(text)
            // An edit amidst this one may be the later one.
            if devices[index].editCount == count {
                devices[index].edited(edit)
            } else {
                devices[index].forgetEdits(of: id, field: field)
            }
        } catch let error as CabinetError {
            if error.code == .zoneNotFound { devices[index].lacksZone = true }
            // The edit may be in the store, if the program was killed before it knew.
            devices[index].forgetEdits(of: id, field: field)
            note("  was not saved: \(error.code)")
        } catch {
            fail("\(error)")
        }
    }

    /// Saves a record again that a cascade has deleted, before the server knows of the deletion.
    private func deleteAndSaveAgain(_ id: RecordID, _ index: Int, _ database: Database) async {
        let cascaded = await delete(id, index, database)
        guard devices[index].isAlive, !cascaded.isEmpty else { return }
        await save(pick(cascaded), index, database)
    }

    /// Deletes a record.
    ///
    /// - Returns: The records that were deleted with it.
    @discardableResult
    private func delete(_ id: RecordID, _ index: Int, _ database: Database) async -> [RecordID] {
        note("device \(index) deletes \(id.recordName)")
        devices[index].deleted.insert(id)
        let (edits, work) = (devices[index].editCount, devices[index].workCount)
        do {
            // The network may be away, and then a public record that is not here cannot be read.
            let before = scope == .public ? [] : try await missing(database)
            try await database.deleteRecord(withID: id)
            let after = try await missing(database)
            let cascaded = after.filter { $0 != id && !before.contains($0) }
            devices[index].cascaded.formUnion(cascaded)
            // An edit amidst the deletion may have created one of them again.
            if devices[index].editCount != edits { devices[index].replacedDeleted(ids) }
            // A fetch amidst the deletion may have brought the record back.
            if devices[index].editCount == edits, devices[index].workCount == work {
                for id in after { devices[index].forgetEdits(of: id) }
            } else {
                devices[index].forgetAllEdits()
            }
            return cascaded
        } catch {
            if (error as? CabinetError)?.code == .zoneNotFound { devices[index].lacksZone = true }
            devices[index].cascaded.formUnion(ids)
            devices[index].forgetAllEdits()
            return []
        }
    }

    private func deleteZone(_ index: Int, _ database: Database) async {
        note("device \(index) deletes the zone")
        devices[index].mayDeleteZone = true
        // Texts up to here are those of the deleted zone.
        droppedTexts.deleteZone(zone, of: index, after: countEdit())
        do {
            try await database.deleteRecordZone(withID: zone)
            devices[index].lacksZone = true
            for id in ids where id.zoneID == zone { devices[index].forgetEdits(of: id) }
        } catch {
            if (error as? CabinetError)?.code == .zoneNotFound { devices[index].lacksZone = true }
            for id in ids where id.zoneID == zone { devices[index].forgetEdits(of: id) }
        }
    }

    /// Returns the records that a device does not have.
    private func missing(_ database: Database) async throws -> [RecordID] {
        let found = try await database.records(for: ids)
        return ids.filter { id in if case .success? = found[id] { false } else { true } }
    }
}
