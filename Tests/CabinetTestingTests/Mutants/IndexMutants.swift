import Cabinet

extension Mutant {
    /// Mutants that mistake what an index is.
    static let indexing: [Mutant] = [
        Mutant(
            "forgets indexes",
            caughtBy: [
                "a schema comes back as it was applied", "indexes are what was set",
                "an option that is left out drops the index", "schemas that are applied at once do not mix",
                "each database has a schema of its own", "words are looked for in the searchable fields",
                "a strict container creates what its schema declares", "a strict container removes nothing",
                "strict containers that begin at once agree",
            ]
        ) { $0.indexes = { _, _ in [] } },
        Mutant(
            "never drops an index",
            caughtBy: ["an option that is left out drops the index", "indexes are what was set"]
        ) { $0.indexes = { new, old in new.union(old) } },
        Mutant(
            "makes no index of several fields",
            caughtBy: ["a schema comes back as it was applied", "a compound index is made of fields that exist"]
        ) {
            $0.indexes = { new, _ in
                new.filter { if case .compound = $0 { false } else { true } }
            }
        },
        Mutant(
            "finds no record without a value through an index",
            caughtBy: ["an index changes no answer", "an index follows the records"]
        ) { $0.indexedPage = { $0.filter { $0.fields["name"] != nil } } },
        Mutant("finds the order of an index alone", caughtBy: ["an index changes no answer"]) {
            $0.indexedPage = { $0.reversed() }
        },
    ]
}
