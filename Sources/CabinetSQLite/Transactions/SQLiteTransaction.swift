import Cabinet

/// A write transaction of a file.
struct SQLiteTransaction: StorageTransaction, SQLiteReading {
    let session: Session

    // A transaction may change the records that it loads, so it remembers their locations.

    func load(_ keys: StorageKeys) throws -> StorageValues {
        try session.use { try $0.loadForWriting(keys) }
    }

    func references(to ids: [RecordID]) throws -> [StoredReference] {
        try session.use { connection in
            try connection.references(to: ids) { connection.writeState.locations[$0] = $1 }
        }
    }

    func apply(_ mutations: [StorageMutation]) throws {
        try session.change { connection in
            try connection.createLayout()
            try connection.apply(mutations)
        }
    }
}
