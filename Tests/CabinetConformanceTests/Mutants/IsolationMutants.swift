import Cabinet

extension Mutant {
    /// Backends whose transactions are none.
    static let isolating: [Mutant] = [
        Mutant(
            "reads what is there at the moment",
            caughtBy: [
                "a snapshot does not change", "a snapshot is fixed when it begins",
                "a snapshot is one state, whatever is asked",
            ]
        ) {
            $0.isolation = .liveReads
        },
        Mutant(
            "keeps what a failed transaction wrote",
            caughtBy: [
                "a transaction that throws changes nothing", "each mutation is rolled back",
                "a write that is cancelled before it commits changes nothing",
            ]
        ) {
            $0.isolation = .noRollback
        },
        Mutant(
            "commits every mutation by itself",
            caughtBy: [
                "writes run one after the other", "a transaction that throws changes nothing",
                "a snapshot sees no write that is under way", "those who try again lose no update",
                "of many who make one record, one does", "a batch is seen whole, however many look",
                "two who read and write at once lose no update", "no reference is left to what is deleted meanwhile",
            ]
        ) { $0.isolation = .autocommit },
        Mutant(
            "lets writers read what was there when they began",
            caughtBy: [
                "two who rely on each other's records do not both change theirs", "no smaller number comes later",
            ]
        ) { $0.isolation = .snapshots },
        Mutant("goes on when it is closed", caughtBy: ["a closed backend is unavailable"]) {
            $0.isolation = .neverCloses
        },
    ]
}
