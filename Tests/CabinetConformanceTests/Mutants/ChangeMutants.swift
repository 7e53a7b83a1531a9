import Cabinet

extension Mutant {
    /// Backends that report changes incorrectly.
    static let changing: [Mutant] = [
        Mutant("forgets when it was cleaned up last", caughtBy: ["a clock that jumps forgets nothing by age"]) {
            $0.loseEntries("clock")
        },
        Mutant(
            "reports no deletions",
            caughtBy: [
                "a token yields the changes since it", "delete rules produce changes",
                "sync engines keep two devices in step",
            ]
        ) {
            $0.changes = { $0.filter { if case .deleted = $0 { false } else { true } } }
        },
        Mutant("reports no saves", caughtBy: ["a token yields the changes since it"]) {
            $0.changes = { $0.filter { if case .saved = $0 { false } else { true } } }
        },
        Mutant("reports changes from the beginning", caughtBy: ["a token yields the changes since it"]) {
            $0.since = { _ in 0 }
        },
        Mutant(
            "reports changes in no order",
            caughtBy: ["changes come in pages", "changes come in the order of their numbers"]
        ) { $0.changes = { $0.reversed() } },
        Mutant("numbers deletions as if they were old", caughtBy: ["a token yields the changes since it"]) {
            $0.replaceMutations { mutation in
                guard case .delete(let deletion, let record) = mutation else { return [mutation] }
                let old = StoredDeletion(
                    recordID: deletion.recordID, recordType: deletion.recordType, sequenceNumber: 0,
                    date: deletion.date)
                return [.delete(old, replacing: record)]
            }
        },
        Mutant(
            "does not know the last number",
            caughtBy: ["a token yields the changes since it", "a token from a save yields later deletions"]
        ) { $0.mapEntries { $0.key.text == "database" ? nil : $0 } },
        Mutant("never forgets deletions", caughtBy: ["old deletions are forgotten", "deletions are forgotten by age"]) {
            $0.ignoreMutations { if case .forgetDeletions = $0 { true } else { false } }
            $0.mapZones { $0.expiration = 0 }
            $0.ignoreEntries(.zones) { $0?.split(separator: " ").dropFirst(2).first ?? "0" != "0" }
        },
        Mutant(
            "does not report that it has forgotten",
            caughtBy: ["old deletions are forgotten", "a sync engine begins again after its token expired"]
        ) {
            $0.mapZones { $0.expiration = 0 }
        },
        Mutant("does not report when a zone was created", caughtBy: ["a recreated zone has new tokens"]) {
            $0.mapZones { $0.creation = 0 }
        },
        Mutant("marks no zone", caughtBy: ["a database reports the zones that changed"]) {
            $0.mapZones { $0.change = max($0.creation, 1) }
        },
        Mutant(
            "reports no deleted zone",
            caughtBy: [
                "a database reports the zones that changed", "a sync engine reports deleted and recreated zones",
            ]
        ) {
            $0.loseEntries(.removedZones)
        },
        Mutant(
            "never forgets deletions of zones",
            caughtBy: ["old deletions of zones are forgotten", "deletions of zones are forgotten by age"]
        ) {
            $0.ignoreEntries(.removedZones) { $0 == nil }
            $0.ignoreEntries(.forgottenRemoval)
        },
        Mutant(
            "does not report that it has forgotten deletions of zones",
            caughtBy: ["old deletions of zones are forgotten"]
        ) {
            $0.entries = { $0.filter { !$0.key.text.hasPrefix(.forgottenRemoval) } }
        },
        Mutant("forgets when zones were deleted", caughtBy: ["deletions of zones are forgotten by age"]) {
            $0.mapEntries { entry in
                entry.key.text.hasPrefix(.removedZones) ? StorageEntry(key: entry.key, text: "0") : entry
            }
        },
        Mutant(
            "does not know which zones it has deleted before", caughtBy: ["a zone that is deleted again counts once"]
        ) {
            $0.loseEntries(.removalsByZone)
        },
        Mutant(
            "invents a change",
            caughtBy: [
                "user records are not changes", "a failed batch produces no changes", "changes belong to their zone",
                "without a token no deletions are reported",
            ]
        ) { fault in
            fault.changes = { $0 + [.saved(.phantom)] }
        },
    ]
}
