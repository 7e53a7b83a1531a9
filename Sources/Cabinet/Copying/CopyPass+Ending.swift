/// What is not copied change by change, and what is left to do once all changes are there.
extension CopyPass {
    /// Adds the record types and fields that the source has got without a record.
    func copySchema(_ note: CopyNote) async throws {
        let schema = try await source.schema()
        let copy = try await target.read(database) { try await $0.schema() }
        if copy.recordTypes == schema.recordTypes { return }
        try await target.write(database) { transaction in
            try await note.check(in: transaction)
            try await schema.extend(transaction)
        }
    }

    /// Makes the target's subscriptions those of the source.
    func copySubscriptions(_ note: CopyNote) async throws {
        let all = Set(try await source.subscriptions(of: nil))
        let copies = Set(try await target.read(database) { try await $0.subscriptions(of: nil) })
        let (new, old) = (all.subtracting(copies), copies.subtracting(all))
        if new.isEmpty, old.isEmpty { return }
        try await target.write(database) { transaction in
            try await note.check(in: transaction)
            for (userName, subscriptions) in Dictionary(grouping: old, by: \.userName) {
                try await transaction.removeSubscriptions(
                    subscriptions.map(\.subscription.subscriptionID), of: userName)
            }
            try await transaction.put(Array(new))
        }
        var counts = CopyCounts()
        counts.changedSubscriptions = new.count + old.count
        meter.count(counts)
    }

    /// Builds the indexes of the source, once all records are there.
    func setIndexes() async throws {
        guard let note else { return }
        let indexes = try await source.schema().indexes
        let copy = try await target.read(database) { try await $0.schema() }
        for recordType in copy.recordTypes.keys.sorted() {
            let (new, old) = (indexes[recordType] ?? [], copy.indexes[recordType] ?? [])
            if new == old { continue }
            try checkCancellation()
            try await target.write(database) { transaction in
                try await note.check(in: transaction)
                try await transaction.setIndexes(new, of: recordType)
            }
        }
    }

    /// Compares the target with the source.
    ///
    /// - Returns: What both have.
    func verify() async throws -> StoreContent {
        // An earlier pass may have brought assets whose records were changed before they were copied.
        if let note, try await !source.schema().assetKeys.isEmpty {
            try await target.write(database) { transaction in
                try await note.check(in: transaction)
                try await AssetRule.removeAllUnused(in: transaction)
            }
        }
        meter.begin(.verifying)
        return try await target.read(database) { [source, database, meter, note] snapshot in
            // What somebody else has done to the target meanwhile is no difference that the copy has made.
            try await note?.check(in: snapshot)
            var comparison = StoreComparison(of: source, with: snapshot, in: database, meter: meter)
            return try await comparison.run()
        }
    }

    /// Lets the target be used: from here on it gives out numbers above its beginning.
    mutating func makeReady() async throws {
        guard let known = note, !known.isReady else { return }
        note = try await target.write(database) { transaction in
            var note = known
            try await note.check(in: transaction)
            try await transaction.reserveSequenceNumbers(upTo: note.beginning)
            note.isReady = true
            try await note.write(to: transaction)
            return note
        }
    }
}
