import Cabinet

extension ConformanceRule {
    /// Returns a rule that generates saves, moves, shares and deletions of an owner and two participants, and compares what each user sees
    /// with a model of dictionaries.
    ///
    /// - Parameters:
    ///   - seed: The seed of the generator; the same seed generates the same operations.
    ///   - operations: The number of operations to generate.
    public static func randomHierarchies(seed: UInt64, operations: Int = 120) -> ConformanceRule {
        ConformanceRule(
            .model, "each user sees the shared hierarchies of a model (seed \(seed), \(operations) operations)",
            law:
                "After each of many generated operations, fetches, queries, counts and changes have the records of the accepted shares "
                + "alone.",
            source: .cabinet("model")
        ) { world in
            var run = try await HierarchyRun(world, seed: seed)
            do {
                for number in 1...max(operations, 1) {
                    try await run.step()
                    if number % 3 == 0 { try await run.check() }
                }
                try await run.check()
            } catch let failure as ConformanceFailure {
                throw ConformanceFailure(
                    message: failure.message, fileID: failure.fileID, line: failure.line, steps: run.steps)
            }
        }
    }
}
