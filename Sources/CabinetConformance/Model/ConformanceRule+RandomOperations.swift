import Cabinet

extension ConformanceRule {
    /// Short runs of generated operations and queries; ``randomOperations(seed:operations:)``, ``randomQueries(seed:queries:)``,
    /// ``randomObservations(seed:commits:)`` and ``randomHierarchies(seed:operations:)`` create longer ones.
    static let model = [
        randomOperations(seed: 1, operations: 150), randomQueries(seed: 2, queries: 150),
        randomObservations(seed: 1, commits: 60), randomHierarchies(seed: 1, operations: 60),
    ]

    /// Returns a rule that generates operations of several clients and devices, and compares the backend with
    /// dictionaries.
    ///
    /// Three clients of two users save, delete, merge and fetch records with all delete rules. They create and delete
    /// zones, in private databases and the public one. Devices fetch changes, lose them, and are restored from backups;
    /// time passes. After each step the backend must hold the records of a simple model of dictionaries. In the end
    /// every device must have all of them.
    ///
    /// ```swift
    /// @Test(arguments: UInt64(1)...20)
    /// func randomOperations(seed: UInt64) async throws {
    ///     try await ConformanceRule.randomOperations(seed: seed).run { MyBackend() }
    /// }
    /// ```
    ///
    /// A failure is retried without some of the steps, in other databases of the same backend, until the failure needs
    /// every remaining step or the time is over. The remaining steps are the failure's ``ConformanceFailure/steps``.
    ///
    /// - Parameters:
    ///   - seed: The seed of the generator; the same seed generates the same operations.
    ///   - operations: The number of steps to generate.
    public static func randomOperations(seed: UInt64, operations: Int = 500) -> ConformanceRule {
        let count = max(operations, 0)
        return ConformanceRule(
            .model, "the store holds the records of a model after each operation (seed \(seed), \(count) operations)",
            law:
                "After each of many generated operations, the store holds the records of a model of dictionaries, and changes lead "
                + "every device to them.",
            source: .cabinet("model")
        ) { world in
            var random = RandomOperations(seed: seed)
            let operations = random.operations(count)
            // With one kept deletion, a device that misses two begins again.
            let kept = [1000, 4, 1][Int(seed % 3)]
            var tries = 0
            func failure(of operations: [ModelOperation]) async throws -> ModelFailure? {
                tries += 1
                if tries == 1 {
                    return try await ModelFailure.first(of: operations, on: world.backend, retaining: kept)
                }
                let part = PartitionedBackend(base: world.backend, name: "try\(tries)")
                return try await ModelFailure.first(of: operations, on: part, retaining: kept)
            }
            guard let first = try await failure(of: operations) else { return }
            let failing = Array(operations.prefix(first.step + 1))
            func fails(_ candidate: [ModelOperation]) async -> Bool {
                await (try? failure(of: candidate)) != nil
            }
            var needed = await shrunk(failing, until: world.deadline, fails)
            needed = await simplified(needed, until: world.deadline, \.simpler, fails)
            // Parts that a simplified operation no longer needs.
            needed = await shrunk(needed, until: world.deadline, fails)
            let last = try await failure(of: needed)
            // A failure that does not recur depends on time, or on the earlier content.
            throw ConformanceFailure(
                message: last?.message ?? "\(first.message) It did not recur.", fileID: nil, line: nil,
                steps: (last == nil ? failing : needed).map(\.description))
        }
    }
}
