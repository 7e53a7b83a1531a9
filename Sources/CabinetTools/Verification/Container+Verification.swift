public import Cabinet

extension Container {
    /// Checks everything that the container's store holds, and repairs what can be repaired without loss if asked to.
    ///
    /// It looks at all databases of the store, those of other users too: whether records are what can be saved and are found by their IDs
    /// as by queries, whether references have their targets and are found from them, whether indexes, change feeds, zones and
    /// subscriptions agree with the records, whether assets have the bytes that were stored; and whatever the backend knows of its
    /// own files. What is wrong is no error: it becomes a finding, and the rest is looked at all the same.
    ///
    /// Records may be read and saved meanwhile. Each database is looked at in one unchanging view, so that a writer is never taken for
    /// damage; a store that keeps old versions for its readers, such as a write-ahead log, grows by what is written meanwhile. The
    /// bytes of assets are read after that, without holding the view.
    ///
    /// A repair makes anew what follows from the records, such as indexes, raises numbers that are too low, and removes assets that no
    /// record has. It never changes or deletes a record: what would need that is reported, with what to do. Each database is repaired in one
    /// transaction, for which other writers wait, and is verified again. A repair that is interrupted has changed nothing.
    ///
    /// - Parameters:
    ///   - repairing: Whether to repair what can be repaired without loss.
    ///   - progress: Called with how far it has come, after every few hundred records and every few megabytes of assets.
    /// - Returns: What was looked at, and what was found. Of a store that cannot list its databases, the public one and those of the
    ///   account are looked at.
    /// - Throws: ``/Cabinet/CabinetError/Code/serviceUnavailable`` if the container was closed, ``/Cabinet/CabinetError/Code/operationCancelled`` if the
    ///   task is cancelled, and ``/Cabinet/CabinetError/Code/zoneBusy`` or ``/Cabinet/CabinetError/Code/quotaExceeded`` if the store cannot be used just now.
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
