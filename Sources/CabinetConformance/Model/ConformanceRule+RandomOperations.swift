import Cabinet

extension ConformanceRule {
    /// What clients and devices make up, a little of it; ``randomOperations(seed:operations:)`` makes up more.
    static let model = [randomOperations(seed: 1, operations: 150)]

    /// A rule that makes up what several clients and devices do, and holds the backend against dictionaries.
    ///
    /// Three clients of two users save, delete, merge and fetch records with all delete rules, make and delete zones, in private
    /// databases and the public one; devices fetch changes, lose them, and are set back to backups; time goes by. After each step
    /// the backend must hold what a simple model of dictionaries holds, and in the end every device must know all of it.
    ///
    /// ```swift
    /// @Test(arguments: UInt64(1)...20)
    /// func randomOperations(seed: UInt64) async throws {
    ///     try await ConformanceRule.randomOperations(seed: seed).run { MyBackend() }
    /// }
    /// ```
    ///
    /// What fails is tried again without a part of the steps, in other databases of the same backend, until as few are left as the
    /// failure needs or the time is over. They are the failure's ``ConformanceFailure/steps``.
    ///
    /// - Parameters:
    ///   - seed: What decides everything that is made up; the same seed does the same.
    ///   - operations: How many steps to make up.
    public static func randomOperations(seed: UInt64, operations: Int = 500) -> ConformanceRule {
        let count = max(operations, 0)
        return ConformanceRule(
            .model, "the store holds what a model holds, whatever is done (seed \(seed), \(count) operations)",
            law:
                "After each of many made-up operations the store holds what simple dictionaries would, and changes lead "
                + "every device to it.",
            source: .cabinet("model")
        ) { world in
            var random = RandomOperations(seed: seed)
            let operations = random.operations(count)
            var tries = 0
            func failure(of operations: [ModelOperation]) async throws -> ModelFailure? {
                tries += 1
                if tries == 1 { return try await ModelFailure.first(of: operations, on: world.backend) }
                let part = PartitionedBackend(base: world.backend, name: "try\(tries)")
                return try await ModelFailure.first(of: operations, on: part)
            }
            guard let first = try await failure(of: operations) else { return }
            let failing = Array(operations.prefix(first.step + 1))
            func fails(_ candidate: [ModelOperation]) async -> Bool {
                await (try? failure(of: candidate)) != nil
            }
            var needed = await shrunk(failing, until: world.deadline, fails)
            needed = await simplified(needed, until: world.deadline, \.simpler, fails)
            // What a simpler operation does not need any more.
            needed = await shrunk(needed, until: world.deadline, fails)
            let last = try await failure(of: needed)
            // A failure that does not come again has to do with time, or with what was there before.
            throw ConformanceFailure(
                message: last?.message ?? "\(first.message) It did not come again.", fileID: nil, line: nil,
                steps: (last == nil ? failing : needed).map(\.description))
        }
    }
}
