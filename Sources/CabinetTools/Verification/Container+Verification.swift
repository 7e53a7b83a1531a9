public import Cabinet

extension Container {
    /// Checks everything that the container's store holds, and repairs what can be repaired without loss if asked to.
    ///
    /// It checks all databases of the store, also those of other users: that records are valid and found by ID as by queries, that
    /// references have their targets and are found from them, that indexes, change feeds, zones, subscriptions and notifications agree with
    /// the records, that assets have the bytes that were stored, and what the backend checks below the seam. Damage is not an error: it
    /// becomes a finding, and the verification continues.
    ///
    /// Other tasks may read and save records at the same time. Each database is read in one snapshot, so that a concurrent save is never
    /// mistaken for damage; a store that keeps old versions for its readers, such as a write-ahead log, grows until the snapshot ends. The
    /// bytes of assets are read after that, without a snapshot.
    ///
    /// A repair rebuilds everything that is derived from the records, such as indexes, raises numbers that are too low, removes assets that
    /// no record has, and forgets the notifications of a user of whom one is damaged. It never changes or deletes a record: what would need
    /// that is reported, with what to do. Other writers wait for a repair. Then the database is verified again. The repair of what the core
    /// stores is one transaction, so if it is interrupted, nothing has changed.
    ///
    /// - Parameters:
    ///   - repairing: Whether to repair what can be repaired without loss.
    ///   - progress: Called after every few hundred records and every megabyte of assets, on any thread.
    /// - Returns: What was verified, and the findings. If the store cannot list its databases, the public database and those of the
    ///   account are verified.
    /// - Throws: ``/Cabinet/CabinetError/Code/serviceUnavailable`` if the container was closed,
    ///   ``/Cabinet/CabinetError/Code/operationCancelled`` if the task is cancelled, and ``/Cabinet/CabinetError/Code/zoneBusy`` or
    ///   ``/Cabinet/CabinetError/Code/quotaExceeded`` if the store cannot be used just now.
    /// - Complexity: everything is read once or twice, and in each order that an index has, in memory for a page of it, and for the
    ///   zones, the subscriptions, and the references to one page of records.
    public func verify(
        repairing: Bool = false, progress: (@Sendable (VerificationProgress) -> Void)? = nil
    ) async throws -> VerificationReport {
        var known: [DatabaseKey] = [.public]
        if try await accountStatus() == .available {
            let user = try await userRecordID().recordName
            known += [.private(owner: user), .shared(owner: user)]
        }
        return try await StoreVerifier(backend: backend, known: known, progress: progress).run(repairing: repairing)
    }
}
