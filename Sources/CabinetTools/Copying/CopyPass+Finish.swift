import Cabinet

/// Copies what has no changes of its own, and completes a copy once all changes are there.
extension CopyPass {
    /// Adds the record types and fields that the source has got without a record.
    func copySchema(_ checkpoint: CopyCheckpoint) async throws {
        let schema = try await source.schema()
        let copy = try await target.read(database) { try await $0.schema() }
        if copy.recordTypes == schema.recordTypes { return }
        try await target.write(database) { transaction in
            try await checkpoint.check(in: transaction)
            try await transaction.apply(schema.additions(to: try await transaction.schema()))
        }
    }

    /// Makes the target's subscriptions those of the source.
    func copySubscriptions(_ checkpoint: CopyCheckpoint) async throws {
        let all = Set(try await source.subscriptions(of: nil))
        let copies = Set(try await target.read(database) { try await $0.subscriptions(of: nil) })
        let (new, old) = (all.subtracting(copies), copies.subtracting(all))
        if new.isEmpty, old.isEmpty { return }
        let mutations =
            old.map { StorageMutation.setEntry(BookkeepingEntry.subscription($0).key, nil) }
            + (try new.map { try BookkeepingEntry.subscription($0).mutation() })
        try await target.write(database) { transaction in
            try await checkpoint.check(in: transaction)
            try await transaction.apply(mutations)
        }
        var counts = CopyCounts()
        counts.changedSubscriptions = new.count + old.count
        meter.count(counts)
    }

    /// Builds the indexes of the source, once all records are there.
    func setIndexes() async throws {
        guard let checkpoint else { return }
        let indexes = try await source.schema().indexes
        let copy = try await target.read(database) { try await $0.schema() }
        for recordType in copy.recordTypes.keys.sorted() {
            let (new, old) = (indexes[recordType] ?? [], copy.indexes[recordType] ?? [])
            if new == old { continue }
            try checkCancellation()
            try await target.write(database) { transaction in
                try await checkpoint.check(in: transaction)
                try await transaction.apply([.setIndexes(new, of: recordType)])
            }
        }
    }

    /// Compares the target with the source.
    ///
    /// - Returns: What both have.
    func verify() async throws -> StoreContent {
        // An earlier pass may have brought assets whose records were changed before they were copied.
        if let checkpoint, try await !source.schema().assetKeys.isEmpty {
            try await target.write(database) { transaction in
                try await checkpoint.check(in: transaction)
                try await AssetRule.removeAllUnused(in: transaction)
            }
        }
        meter.begin(.verifying)
        return try await target.read(database) { [source, database, meter, checkpoint] snapshot in
            // Another writer's change of the target is not a difference that the copy has made.
            try await checkpoint?.check(in: snapshot)
            var comparison = StoreComparison(of: source, with: snapshot, in: database, meter: meter)
            return try await comparison.run()
        }
    }

    /// Lets the target be used: from here on it gives out numbers above its beginning.
    mutating func makeReady() async throws {
        guard let known = checkpoint, !known.isReady else { return }
        checkpoint = try await target.write(database) { transaction in
            var checkpoint = known
            try await checkpoint.check(in: transaction)
            try await transaction.reserveSequenceNumbers(upTo: checkpoint.beginning)
            checkpoint.isReady = true
            try await checkpoint.apply([], to: transaction)
            return checkpoint
        }
    }
}
