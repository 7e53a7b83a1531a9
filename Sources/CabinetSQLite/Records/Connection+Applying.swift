import Cabinet
import SQLSupport

extension Connection {
    /// Applies mutations in the current write transaction.
    func apply(_ mutations: [StorageMutation]) throws {
        var writer = RecordWriter(on: self)
        var entries: [(key: StorageKey, text: String?)] = []
        for mutation in mutations {
            if case .delete = mutation {} else { try writer.flushDeletions() }
            switch mutation {
            case .insert(let record):
                try writer.insert(record)
            case .update(let record, let old):
                try writer.update(record, replacing: old)
            case .delete(let deletion, let old):
                try writer.delete(deletion, replacing: old)
            case .forgetDeletions(let zoneID, let number):
                try forgetDeletions(in: zoneID, through: number)
            case .eraseZone(let zoneID):
                try eraseZone(zoneID)
            case .addFields(let fields, let recordType):
                try add(fields, to: recordType)
                writer = RecordWriter(on: self)
            case .setIndexes(let indexes, let recordType):
                try setIndexes(indexes, of: recordType)
                writer = RecordWriter(on: self)
            case .rename(let part, let newName):
                try rename(part, to: newName)
                writer = RecordWriter(on: self)
            case .remove(let part):
                try remove(part)
                writer = RecordWriter(on: self)
            case .setEntry(let key, let text):
                entries.append((key, text))
            case .addAsset(let asset, let id):
                try add(asset, uploadedAs: id)
            case .removeAsset(let checksum):
                try removeAsset(checksum)
            }
        }
        try writer.flushDeletions()
        // A mirror has an entry for each record.
        if entries.count > KnownEntries.countLimit { return try setEntries(entries) }
        for entry in entries { try setEntry(entry.key, entry.text) }
    }

    /// Removes a zone's records and tombstones.
    private func eraseZone(_ zoneID: RecordZone.ID) throws {
        guard let zone = try number(of: zoneID) else { return }
        // Each deletion begins at the table's index by zone, so that other zones' records cost nothing.
        for table in catalog.tables where table.hasZoneIndex || zone == Layout.defaultZone {
            for sql in table.deletions(ofRows: "SELECT \"___insertion\" FROM \(table.quoted) WHERE \"___zone\" = ?") {
                try delete(sql, inZone: zone)
            }
        }
        for table in ["cabinet_record", "cabinet_deletion"] {
            try delete("DELETE FROM \(table) WHERE zone = ?", inZone: zone)
        }
        writeState.locations = writeState.locations.filter { $0.key.zoneID != zoneID }
    }

    private func delete(_ sql: String, inZone zone: Int64) throws {
        let deletion = try statements.statement(sql)
        try deletion.bind(zone, at: 1)
        try deletion.run()
    }
}
