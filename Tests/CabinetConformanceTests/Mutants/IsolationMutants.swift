import Cabinet

extension Mutant {
    /// Backends whose transactions are none.
    static let isolating: [Mutant] = [
        Mutant(
            "reads the latest state",
            caughtBy: [
                "a snapshot does not change", "a snapshot is fixed when it begins",
                "every read of a snapshot sees one state",
            ]
        ) {
            $0.isolation = .liveReads
        },
        Mutant(
            "keeps what a failed transaction wrote",
            caughtBy: [
                "a transaction that throws changes nothing", "each mutation is rolled back",
                "a write that is cancelled before it commits changes nothing",
                "a cascade that is cancelled reads and changes no more",
            ]
        ) {
            $0.isolation = .noRollback
        },
        Mutant(
            "commits every mutation by itself",
            caughtBy: [
                "writes run one after the other", "a transaction that throws changes nothing",
                "a snapshot sees no uncommitted write", "retrying loses no update",
                "only one of many concurrent creations succeeds", "a batch is seen whole by concurrent queries",
                "concurrent transactions lose no update", "a concurrent deletion leaves no dangling reference",
            ]
        ) { $0.isolation = .autocommit },
        Mutant(
            "lets writers read the state at their beginning",
            caughtBy: [
                "concurrent transactions have no write skew", "no smaller number appears later",
            ]
        ) { $0.isolation = .snapshots },
        Mutant(
            "finds the next zone under the name of one that a rolled-back transaction used first",
            caughtBy: ["other names that follow a rolled-back transaction are apart from its own"]
        ) { $0.mixesUpRolledBackZones = true },
        Mutant("leaves snapshots open whose bodies throw", caughtBy: ["bodies that throw leave nothing open"]) {
            $0.leavesFailedSnapshotsOpen = true
            $0.openSnapshots = 500
        },
        Mutant(
            "accepts calls after it is closed",
            caughtBy: ["a closed backend is unavailable", "closing waits for running transactions"]
        ) { $0.isolation = .neverCloses },
        Mutant("commits a large transaction in parts", caughtBy: ["a snapshot sees no uncommitted write"]) {
            $0.isolation = .parts
        },
        Mutant(
            "throws after a commit if the task is cancelled",
            caughtBy: ["a write that is cancelled before it commits changes nothing"]
        ) { $0.throwsAfterCommit = true },
        Mutant(
            "finds the references of the latest state", caughtBy: ["every read of a snapshot sees one state"]
        ) { $0.liveRead = .references },
        Mutant(
            "follows key paths in the latest state", caughtBy: ["every read of a snapshot sees one state"]
        ) { $0.liveRead = .targets },
        Mutant(
            "finds the assets of the latest state", caughtBy: ["any range of an asset's bytes can be read"]
        ) { $0.liveRead = .assets },
        Mutant(
            "lists the assets of the latest state", caughtBy: ["any range of an asset's bytes can be read"]
        ) { $0.liveRead = .assetList },
        Mutant(
            "finds the used assets of the latest state", caughtBy: ["any range of an asset's bytes can be read"]
        ) { $0.liveRead = .assetUse },
        Mutant(
            "reads the bytes of the latest state", caughtBy: ["any range of an asset's bytes can be read"]
        ) { $0.liveRead = .assetBytes },
    ]

    /// Backends that compare what a transaction has read when it commits, but for one kind of read.
    static let overlooking = OptimisticTransaction.Read.allCases.map { read in
        Mutant(
            "overlooks that the result of a read has changed: \(read)",
            caughtBy: ["concurrent transactions have no write skew"]
        ) { $0.isolation = .optimistic(overlooking: read) }
    }
}
