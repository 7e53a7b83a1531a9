import Cabinet
import SQLSupport

extension Connection {
    /// Applies mutations in the current write transaction.
    func apply(_ mutations: [StorageMutation]) throws {
        var writer = RecordWriter(on: self)
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
            case .setEntry(let key, let text):
                try setEntry(key, text)
            case .addAsset(let asset, let id):
                try add(asset, uploadedAs: id)
            case .removeAsset(let checksum):
                try removeAsset(checksum)
            }
        }
        try writer.flushDeletions()
    }

    /// Removes a zone's records and tombstones.
    private func eraseZone(_ zoneID: RecordZone.ID) throws {
        guard let zone = try number(of: zoneID) else { return }
        for table in catalog.tables { try removeRecords(inZone: zone, of: table) }
        for table in ["cabinet_record", "cabinet_deletion"] {
            let deletion = try statements.statement("DELETE FROM \(table) WHERE zone = ?")
            try deletion.bind(zone, at: 1)
            try deletion.run()
        }
        writeState.locations = writeState.locations.filter { $0.key.zoneID != zoneID }
    }

    private func removeRecords(inZone zone: Int64, of table: Table) throws {
        // Each deletion begins at the table's index by zone, so that other zones' records cost nothing.
        let rows = "SELECT \"___insertion\" FROM \(table.quoted) WHERE \"___zone\" = ?1"
        var deletions = table.places.map { "DELETE FROM \($0.quoted) WHERE id IN (\(rows))" }
        if let words = table.words { deletions.append("DELETE FROM \(words.quoted) WHERE rowid IN (\(rows))") }
        deletions += [
            "DELETE FROM cabinet_list_reference WHERE type = \(table.id) AND row IN (\(rows))",
            "DELETE FROM cabinet_list_asset WHERE type = \(table.id) AND row IN (\(rows))",
            "DELETE FROM \(table.quoted) WHERE \"___zone\" = ?1",
        ]
        for sql in deletions {
            let deletion = try statements.statement(sql)
            try deletion.bind(zone, at: 1)
            try deletion.run()
        }
    }
}
