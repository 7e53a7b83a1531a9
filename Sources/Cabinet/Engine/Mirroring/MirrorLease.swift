package import Foundation

/// The right of one process to fetch and send for a mirror: an entry with an expiry.
///
/// Every transaction that applies what the process has fetched or sent checks the entry, so a process that lost the right changes
/// nothing, however late its answer arrives.
package struct MirrorLease: Sendable {
    /// The process.
    package let holder: UUID

    /// The time for which a transaction extends the lease, in seconds.
    package let duration: TimeInterval

    /// Creates the lease of a process.
    ///
    /// - Parameters:
    ///   - holder: The process.
    ///   - duration: The time for which a transaction extends the lease: at most a day counts.
    package init(holder: UUID, duration: Duration) {
        self.holder = holder
        let (seconds, attoseconds) = duration.components
        self.duration = min(max(Double(seconds) + Double(attoseconds) / 1e18, 0), 86_400)
    }

    static let key = StorageKey("mirror", "lease")

    /// Returns the seconds for which another process has the lease; `nil` if it is free or this process's.
    ///
    /// An expiry that is further ahead than any lease lasts is that of a clock that was wrong, and does not count.
    func wait(_ text: String?, at date: Date) -> TimeInterval? {
        guard let parts = text?.split(separator: " "), parts.count == 3, let expiry = Double(parts[0]),
            let duration = Double(parts[1]), parts[2] != holder.uuidString
        else { return nil }
        let rest = expiry - date.timeIntervalSinceReferenceDate
        return rest > 0 && rest <= duration * 2 ? rest : nil
    }

    /// The mutation that takes or extends the lease.
    func mutation(at date: Date) -> StorageMutation {
        .setEntry(Self.key, "\(date.timeIntervalSinceReferenceDate + duration) \(duration) \(holder.uuidString)")
    }

    /// Throws ``CabinetError/Code/zoneBusy`` if another process has the lease.
    func check(_ text: String?, at date: Date) throws(CabinetError) {
        guard let seconds = wait(text, at: date) else { return }
        throw CabinetError(
            .zoneBusy, "Another process sends the changes of this mirror.", retryAfterSeconds: seconds)
    }
}

extension MirrorStore {
    /// Takes the lease.
    ///
    /// - Returns: `nil`, or the seconds for which another process has it.
    package func take(_ lease: MirrorLease) async throws -> TimeInterval? {
        let date = service.now()
        return try await handler.write(database) { transaction, _ in
            let text = try await transaction.load(StorageKeys(entries: [MirrorLease.key])).entries.first ?? nil
            if let seconds = lease.wait(text, at: date) { return seconds }
            try await transaction.apply([lease.mutation(at: date)])
            return nil
        }
    }

    /// Returns the lease, if it is this process's.
    package func release(_ lease: MirrorLease) async throws {
        let date = service.now()
        try await handler.write(database) { transaction, _ in
            let text = try await transaction.load(StorageKeys(entries: [MirrorLease.key])).entries.first ?? nil
            if lease.wait(text, at: date) == nil { try await transaction.apply([.setEntry(MirrorLease.key, nil)]) }
        }
    }
}
