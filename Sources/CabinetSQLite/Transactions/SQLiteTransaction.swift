import Cabinet
import Foundation

/// A write transaction of a file.
struct SQLiteTransaction: StorageTransaction, SQLiteReading {
    let session: Session

    var abilities: SnapshotAbilities { SnapshotAbilities(aggregates: self, assets: self, referrers: self) }

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

extension SQLiteTransaction: StorageReferrers {
    func groups(referringTo id: RecordID) throws -> [ReferrerGroup]? {
        try session.use { try $0.groups(referringTo: id) }
    }

    func mayBeReferredTo(_ group: ReferrerGroup) throws -> Bool {
        try session.use { try $0.mayBeReferredTo(group) }
    }

    func delete(_ group: ReferrerGroup, count: Int, from sequenceNumber: Int64, date: Date) throws {
        try session.change { connection in
            try connection.createLayout()
            try connection.delete(group, count: count, from: sequenceNumber, date: date)
        }
    }
}
