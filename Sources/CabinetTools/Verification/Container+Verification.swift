public import Cabinet

extension Container {
    /// Checks everything that the container's store holds, and optionally repairs damage that can be repaired without
    /// loss.
    ///
    /// The verification covers all databases of the store, including those of other users. It checks:
    ///
    /// - that records are valid, and that queries and fetches by ID find the same ones;
    /// - that references have their targets and are found from them;
    /// - that no two records share values that the schema declares unique;
    /// - that indexes, change feeds, zones, subscriptions and notifications agree with the records;
    /// - that assets have the bytes that were stored;
    /// - the checks of the backend itself.
    ///
    /// Damage is not an error: it becomes a finding, and the verification continues. <doc:VerifyingAStore> shows what to do
    /// about each kind.
    ///
    /// ```swift
    /// let report = try await container.verify()
    /// if !report.isClean { print(report) }
    /// ```
    ///
    /// Other tasks may read and save records at the same time. Each database is read in one snapshot, so that a
    /// concurrent save is never mistaken for damage. A store that keeps old versions for its readers, such as a
    /// write-ahead log, grows until the snapshot ends. The bytes of assets are read afterwards, without a snapshot.
    ///
    /// A repair rebuilds indexes and other derived structures, raises numbers that are too low, and removes assets that
    /// no record has. It forgets a user's notifications if one of them is damaged. It never changes or deletes a
    /// record: such damage is reported, with a recommendation. Other writers wait for a repair. Then the database is
    /// verified again. The repair of what the core stores is one transaction, so that an interrupted repair changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - repairing: Whether to repair damage that can be repaired without loss.
    ///   - progress: Called after every few hundred records and every megabyte of assets, on any thread.
    /// - Returns: The verified amount, and the findings. If the store cannot list its databases, the public database
    ///   and those of the account are verified.
    /// - Throws: ``/Cabinet/CabinetError/Code/serviceUnavailable`` if the container was closed,
    ///   ``/Cabinet/CabinetError/Code/operationCancelled`` if the task is cancelled, and
    ///   ``/Cabinet/CabinetError/Code/zoneBusy`` or ``/Cabinet/CabinetError/Code/quotaExceeded`` if the store is
    ///   temporarily unusable.
    /// - Complexity: Everything is read once or twice, and once in the order of each index. Memory holds one page of
    ///   records, the zones, the subscriptions, and the references to one page of records.
    public func verify(
        repairing: Bool = false, progress: (@Sendable (VerificationProgress) -> Void)? = nil
    ) async throws -> VerificationReport {
        var known: [DatabaseKey] = [.public]
        if try await accountStatus() == .available {
            let user = try await userRecordID().recordName
            known += [.private(owner: user), .shared(owner: user)]
        }
        return try await StoreVerifier(backend: try backend, known: known, progress: progress).run(repairing: repairing)
    }
}
