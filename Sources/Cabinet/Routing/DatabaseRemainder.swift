import Foundation

/// What a database has left in a store that it does not live in.
struct DatabaseRemainder: Sendable {
    private let database: DatabaseKey
    private let store: any StorageBackend
    private let lastNumber: Int64
    private let mark: RouteMark?
    private let note: CopyNote?

    /// Looks at a store.
    init(_ database: DatabaseKey, in store: any StorageBackend) async throws {
        (self.database, self.store) = (database, store)
        (lastNumber, mark, note) = try await store.read(database) { snapshot in
            (
                try await snapshot.lastSequenceNumber(), try await RouteMark.read(from: snapshot),
                try await CopyNote.read(from: snapshot)
            )
        }
    }

    /// Whether what is there was brought or left by a move, and by nobody else.
    var isRemainder: Bool { mark != nil || note != nil }

    /// Whether nobody will make a home of it that has found the database in a given home.
    ///
    /// What has arrived in the generation of the home may become the next one at any moment, without another change.
    func isUseless(to home: DatabaseHome) -> Bool {
        guard let mark, mark.kind == .arrived else { return true }
        return mark.generation < home.generation
    }

    /// Whether nothing is left but the marks.
    var isEmpty: Bool {
        guard let mark, let note else { return false }
        return mark.kind == .emptying && note.isReady && note.copiedNumber == 0 && note.lastNumber == lastNumber
    }

    /// Removes everything, unless it changes meanwhile: then the database may live here again.
    ///
    /// Afterwards the database can be copied here anew.
    ///
    /// - Parameter home: The store that the database lives in.
    func remove(toCopyFrom home: any StorageBackend) async throws {
        let mark = RouteMark(kind: .emptying, generation: mark?.generation ?? 0)
        try await store.write(database) { [lastNumber, database] transaction in
            guard try await transaction.lastSequenceNumber() == lastNumber else {
                throw DatabaseMove.overtaken(database)
            }
            try await mark.write(to: transaction)
        }
        let (beginning, found) = try await home.read(database) { snapshot in
            (try await snapshot.beginning(), try await RouteMark.read(from: snapshot))
        }
        // The mark says nothing to those who find the database by its present generation.
        guard found?.id != mark.id else {
            throw CabinetError(.invalidArguments, "\(database) lives in a store that has two names. Give it one.")
        }
        try await write(mark) { transaction in
            // The default zone too: what is copied here later has lower numbers than deletions would have.
            let zones = try await transaction.zones(for: nil).map(\.zoneID)
            if !zones.isEmpty {
                let number = try await transaction.reserveSequenceNumbers(1)
                try await transaction.removeZones(zones, sequenceNumber: number)
            }
            for (user, subscriptions) in Dictionary(
                grouping: try await transaction.subscriptions(of: nil), by: \.userName)
            {
                try await transaction.removeSubscriptions(subscriptions.map(\.subscription.subscriptionID), of: user)
                try await transaction.forgetNotifications(to: user, before: .distantFuture, keepingLast: 0)
            }
            for recordType in try await transaction.schema().indexes.keys.sorted() {
                try await transaction.setIndexes([], of: recordType)
            }
            if try await !transaction.schema().assetKeys.isEmpty {
                try await AssetRule.removeAllUnused(in: transaction)
            }
            // As if nothing of the source had been copied yet.
            let last = try await transaction.lastSequenceNumber()
            var note = CopyNote(sourceBeginning: beginning, beginning: last, recordLimit: last)
            note.isReady = true
            try await note.write(to: transaction)
        }
        try await store.removeAbandonedAssets(from: database)
    }

    /// Writes, as long as the mark is there: who lets the database live here again puts another one in its place.
    private func write(
        _ mark: RouteMark, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Void
    ) async throws {
        try await store.write(database) { [database] transaction in
            guard try await RouteMark.read(from: transaction) == mark else { throw DatabaseMove.overtaken(database) }
            try await body(transaction)
        }
    }
}
