import Cabinet

extension Mutant {
    /// Backends whose transactions are none.
    static let isolating: [Mutant] = [
        Mutant(
            "reads what is there at the moment",
            caughtBy: ["a snapshot does not change", "a snapshot is fixed when it begins"]
        ) {
            $0.isolation = .liveReads
        },
        Mutant("keeps what a failed transaction wrote", caughtBy: ["a transaction that throws changes nothing"]) {
            $0.isolation = .noRollback
        },
        Mutant(
            "commits every call by itself",
            caughtBy: [
                "writes run one after the other", "a transaction that throws changes nothing",
                "a snapshot sees no write that is under way",
            ]
        ) { $0.isolation = .autocommit },
        Mutant("goes on when it is closed", caughtBy: ["a closed backend is unavailable"]) {
            $0.isolation = .neverCloses
        },
    ]
}
