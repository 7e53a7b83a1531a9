import Cabinet

extension Mutant {
    /// Backends that tell badly what has changed.
    static let changing: [Mutant] = [
        Mutant("tells no deletions", caughtBy: ["a token tells what has changed since", "delete rules are changes"]) {
            $0.changes = { $0.filter { if case .deleted = $0 { false } else { true } } }
        },
        Mutant("tells no saves", caughtBy: ["a token tells what has changed since"]) {
            $0.changes = { $0.filter { if case .saved = $0 { false } else { true } } }
        },
        Mutant("tells changes from the beginning", caughtBy: ["a token tells what has changed since"]) {
            $0.since = { _ in 0 }
        },
        Mutant("tells changes in no order", caughtBy: ["changes come in pages"]) { $0.changes = { $0.reversed() } },
        Mutant("numbers deletions as if they were old", caughtBy: ["a token tells what has changed since"]) {
            $0.deletionNumber = { _ in 0 }
        },
        Mutant("does not know the last number", caughtBy: ["a token tells what has changed since"]) {
            $0.lastNumber = { _ in 0 }
        },
        Mutant(
            "begins a timeline with each look",
            caughtBy: [
                "a number stays on its timeline", "a token tells what has changed since",
                "a token from a save brings later deletions",
            ]
        ) {
            $0.timelines = { $0.map { _ in .random(in: .min ... .max) } }
        },
        Mutant("mixes timelines", caughtBy: ["a number stays on its timeline"]) {
            $0.timelines = { $0.map { $0 % 2 } }
        },
        Mutant("never forgets deletions", caughtBy: ["old deletions are forgotten", "deletions are forgotten by age"]) {
            $0.forgets = false
        },
        Mutant("does not tell that it has forgotten", caughtBy: ["old deletions are forgotten"]) {
            $0.zones = { found, _ in
                found.map { zone in
                    var zone = zone
                    zone.expirationNumber = 0
                    return zone
                }
            }
        },
        Mutant("does not tell when a zone was made", caughtBy: ["a zone that was made anew has new tokens"]) {
            $0.zones = { found, _ in
                found.map {
                    StoredZone(
                        zoneID: $0.zoneID, creatorName: $0.creatorName, creationNumber: 0,
                        changeNumber: $0.changeNumber, expirationNumber: $0.expirationNumber)
                }
            }
        },
        Mutant("marks no zone", caughtBy: ["a database tells which zones have changed"]) {
            $0.markedZones = { _ in [] }
        },
        Mutant("tells of no zone that is gone", caughtBy: ["a database tells which zones have changed"]) {
            $0.zoneChanges = { $0.filter { if case .deleted = $0 { false } else { true } } }
        },
        Mutant("tells of more zones than asked for", caughtBy: ["the zones that have changed come in pages"]) {
            $0.zoneChanges = { $0.reversed() }
        },
        Mutant(
            "invents a change",
            caughtBy: [
                "users' own records are no changes", "a failed batch is no change",
                "who knows nothing hears of no deletions",
            ]
        ) { fault in
            fault.changes = { $0 + [.saved(.phantom)] }
        },
    ]
}
