import Cabinet

/// Checks the core's bookkeeping: zones, subscriptions and notifications.
extension DatabaseVerification {
    /// Compares the stored state of a zone with the changes in it.
    func checkNumbers(of zoneID: RecordZone.ID, last: Int64) {
        counts.zones += 1
        if damagedZoneIDs.contains(zoneID) { return }
        func add(_ message: String, isRepairable: Bool = false) {
            collector.add(IntegrityIssue(.zone, message, zoneID: zoneID, isRepairable: isRepairable))
        }
        guard let stored = zones[zoneID], let zone = stored else {
            // The default zone is stored as soon as it has a change.
            if last > 0 {
                add("The default zone has changes, but no request reports it.", isRepairable: true)
            }
            return
        }
        if let issue = IntegrityRule.issue(of: zoneID) { collector.add(issue) }
        if zone.changeNumber < last {
            add(
                "The zone was changed last by number \(zone.changeNumber), and it has a change with number \(last): clients "
                    + "that fetch changes do not receive it.", isRepairable: true)
        }
        if zone.changeNumber > lastSequenceNumber {
            add(
                "The zone was changed last by number \(zone.changeNumber), and the last that was assigned is "
                    + "\(lastSequenceNumber).", isRepairable: true)
        }
        let isPossible =
            zone.creationNumber >= 0 && zone.creationNumber <= zone.changeNumber && zone.expirationNumber >= 0
            && zone.expirationNumber <= max(lastSequenceNumber, zone.changeNumber)
        if !isPossible {
            add(
                "The zone's numbers are impossible: created by \(zone.creationNumber), changed by \(zone.changeNumber), "
                    + "deletions forgotten up to \(zone.expirationNumber). Copy its records into a new zone.")
        }
    }

    /// Checks the removals of zones.
    func checkZoneRemovals() async throws {
        for kind in [BookkeepingEntry.Kind.zoneRemoval, .earlierZoneRemoval] {
            try await forEachEntryPage(of: kind) { page in
                for entry in page.damaged {
                    collector.add(
                        IntegrityIssue(
                            .zone, "\(entry.reason) Save the zone, and delete it again.",
                            zoneID: RecordZone.ID(entry.key)))
                }
                for case .zoneRemoval(let removal) in page.entries {
                    let number = removal.sequenceNumber
                    if number >= 1, number <= lastSequenceNumber { continue }
                    collector.add(
                        IntegrityIssue(
                            .zone,
                            "The number of the zone's removal is \(number), and the last that was assigned is "
                                + "\(lastSequenceNumber).", zoneID: removal.zoneID, isRepairable: number >= 1))
                }
            }
        }
        try await forEachEntryPage(of: .zoneRemovalExpiration) { page in
            for entry in page.damaged { collector.add(IntegrityIssue(.zone, entry.reason, isRepairable: true)) }
            for case .zoneRemovalExpiration(let number) in page.entries
            where number < 0 || number > lastSequenceNumber {
                collector.add(
                    IntegrityIssue(
                        .zone,
                        "Removals of zones were forgotten up to \(number), and the last number that was assigned is "
                            + "\(lastSequenceNumber).", isRepairable: true))
            }
        }
        let repairs = try await attempt(
            "The removals of zones", try await snapshot.mutationsRepairingZoneRemovals())
        guard let count = repairs?.count, count > 0 else { return }
        collector.add(
            IntegrityIssue(
                .zone,
                "Missing or wrong: \(count.counted("entry", "entries")) by which a zone's removal replaces an earlier one.",
                isRepairable: true))
    }

    /// Checks that the participants of shares are found by their names.
    func checkParticipations() async throws {
        let repairs = try await attempt(
            "The participants of shares", try await snapshot.mutationsRepairingParticipations(schema: schema))
        guard let count = repairs?.count, count > 0 else { return }
        collector.add(
            IntegrityIssue(
                .share,
                "Missing or wrong: \(count.counted("entry", "entries")) by which requests find participants of shares.",
                isRepairable: true))
    }

    func checkSubscriptions() async throws {
        var found: [String: Set<StoredSubscription>] = [:]
        for kind in [BookkeepingEntry.Kind.subscription, .earlierSubscription] {
            try await forEachEntryPage(of: kind) { page in
                counts.subscriptions += page.entries.count + page.damaged.count
                for entry in page.damaged {
                    collector.add(
                        IntegrityIssue(
                            .subscription,
                            "A subscription cannot be read. \(entry.reason) Save it again, or delete it."))
                }
                for case .subscription(let stored) in page.entries {
                    found[stored.userName, default: []].insert(stored)
                    if let issue = IntegrityRule.issue(of: stored) { collector.add(issue) }
                }
            }
        }
        let repairs = try await attempt(
            "The entries by which subscriptions are found", try await snapshot.mutationsRepairingSubscriptions())
        if let repairs, !repairs.isEmpty {
            collector.add(
                IntegrityIssue(
                    .subscription,
                    "Missing or wrong: \(repairs.count.counted("entry", "entries")) by which users and saves find subscriptions.",
                    isRepairable: true))
        } else {
            try await checkUsers(found)
        }
    }

    /// Checks that each user's subscriptions are found by the user's name.
    private func checkUsers(_ subscriptions: [String: Set<StoredSubscription>]) async throws {
        for (userName, expected) in subscriptions.sorted(by: { $0.key < $1.key }) {
            // A damaged subscription has a finding already.
            guard let found = try? await snapshot.subscriptions(of: userName), Set(found) != expected else { continue }
            collector.add(
                IntegrityIssue(
                    .subscription,
                    "The user \(userName) has \(expected.count.counted("subscription")), and \(found.count) or others are found by the "
                        + "user's name.", isRepairable: true))
        }
    }

    /// Checks that notifications can be read, and that their numbers are possible.
    func checkNotifications() async throws {
        var expirations: [String: Int64] = [:]
        try await forEachEntryPage(of: .notificationExpiration) { page in
            addDamagedNotifications(page)
            for case .notificationExpiration(let userName, let number) in page.entries {
                expirations[userName] = number
                if number >= 0, number <= lastSequenceNumber { continue }
                collector.add(
                    IntegrityIssue(
                        .notification,
                        "Notifications of \(userName) were forgotten up to \(number), and the last number that was assigned "
                            + "is \(lastSequenceNumber).", isRepairable: true))
            }
        }
        for kind in [BookkeepingEntry.Kind.notification, .latestNotification] {
            try await forEachEntryPage(of: kind) { page in
                addDamagedNotifications(page)
                for case .notification(let notification) in page.entries {
                    let number = notification.sequenceNumber
                    let expiration = max(expirations[notification.userName] ?? 0, 0)
                    if number > expiration, number <= lastSequenceNumber { continue }
                    collector.add(
                        IntegrityIssue(
                            .notification,
                            "The notification \(number) of \(notification.userName) does not come after \(expiration), or not "
                                + "before \(lastSequenceNumber), the last number that was assigned."))
                }
            }
        }
    }

    private func addDamagedNotifications(_ page: EntryReader.Page) {
        for entry in page.damaged {
            collector.add(
                IntegrityIssue(
                    .notification,
                    "A notification cannot be read. \(entry.reason) If the entry is malformed, a repair forgets the user's "
                        + "notifications, so that the user's clients fetch the changes.",
                    isRepairable: entry.isMalformedNotification))
        }
    }

    /// Passes all entries of a kind to a closure.
    ///
    /// Entries that the store cannot read become a finding.
    func forEachEntryPage(
        of kind: BookkeepingEntry.Kind, _ body: (EntryReader.Page) throws -> Void
    ) async throws {
        _ = try await attempt(
            "The entries of kind '\(kind)'",
            try await snapshot.forEachEntryPage(of: kind) { page in
                try body(page)
                try pause()
            })
    }
}
