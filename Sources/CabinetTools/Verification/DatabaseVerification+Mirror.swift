package import Cabinet

/// Checks the memory of a mirror: what its server does not have.
extension DatabaseVerification {
    /// Whether the store is that of a mirror, whose server has the bytes of assets that the store lacks.
    func isMirror() async throws -> Bool { try await snapshot.isOfMirror() }

    /// Checks that each pending change can be read, and that their numbers are those of the status.
    func checkPendingChanges() async throws {
        var isReadable = true
        for kind in [BookkeepingEntry.Kind.pendingChange, .mirrorZone, .pendingCounts] {
            try await forEachEntryPage(of: kind) { page in
                for entry in page.damaged {
                    isReadable = false
                    collector.add(
                        IntegrityIssue(
                            .storage, "\(entry.reason) The mirror cannot send its changes. Copy the records elsewhere.")
                    )
                }
            }
        }
        guard isReadable, let counts = try await snapshot.recountedChanges() else { return }
        collector.add(
            IntegrityIssue(
                .storage,
                "The mirror has \(counts.pending.counted("pending change")), \(counts.setAside) of them set aside, and counts others: its status is wrong.",
                isRepairable: true))
    }
}

extension StorageBackend {
    /// Whether the private database of a user is that of a mirror.
    package func isMirror(of account: Account) async throws -> Bool {
        try await read(.private(owner: account.userRecordName)) { try await $0.isOfMirror() }
    }
}

extension StorageSnapshot {
    /// Whether the database is that of a mirror, which remembers its server, and what it knows of each zone or of its queries.
    func isOfMirror() async throws -> Bool {
        for keys in [
            MirrorStore.serverKey..<MirrorStore.serverKey.next, BookkeepingEntry.Kind.mirrorZone.keys,
            MirrorQueries.key..<MirrorQueries.key.next,
        ] {
            if try await !entries(in: keys, limit: 1).isEmpty { return true }
        }
        return false
    }

    /// Counts the pending changes of a mirror.
    ///
    /// - Returns: The numbers, if the stored ones differ; otherwise `nil`, also if an entry cannot be read.
    func recountedChanges() async throws -> PendingCounts? {
        var (counts, stored, isReadable) = (PendingCounts(), PendingCounts(), true)
        try await forEachEntryPage(of: .pendingChange) { page in
            isReadable = isReadable && page.damaged.isEmpty
            for case .pendingChange(let change) in page.entries {
                counts.pending += 1
                counts.setAside += change.error == nil ? 0 : 1
            }
        }
        try await forEachEntryPage(of: .mirrorZone) { page in
            isReadable = isReadable && page.damaged.isEmpty
            for case .mirrorZone(let zone) in page.entries where zone.change != nil {
                counts.pending += 1
                counts.setAside += zone.error == nil ? 0 : 1
            }
        }
        try await forEachEntryPage(of: .pendingCounts) { page in
            isReadable = isReadable && page.damaged.isEmpty
            for case .pendingCounts(let found) in page.entries { stored = found }
        }
        return isReadable && counts != stored ? counts : nil
    }
}
