import Cabinet
import CabinetTesting

/// Tasks that transfer amounts between accounts with transactions, chosen by a seed.
///
/// A transaction moves an amount, closes an account and opens another one with its balance, or adds up all balances.
struct Transfers: Sendable {
    let seed: UInt64
    let accounts: Int
    let tasks: Int
    let count: Int
    /// Whether an error of a transaction is one that the store was made to throw.
    var isExpected: @Sendable (CabinetError) -> Bool = { _ in false }

    private static let balance = 100
    private static let all = Query(recordType: "Accounts", sortedBy: [Sort("balance")])

    /// Runs the transfers, and compares the sum.
    ///
    /// - Parameters:
    ///   - database: Returns the database for each task, such as one of a container of its own.
    ///   - begin: Runs after the accounts were created.
    ///   - end: Runs after the transfers.
    func run(
        in database: @Sendable @escaping () throws -> Database, begin: () -> Void = {}, end: () -> Void = {}
    ) async throws {
        let shared = try database()
        try await shared.saveAll((0..<accounts).map { Record("Accounts", "0-\($0)", ["balance": Self.balance]) })
        begin()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 1...tasks {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 1_000 &+ UInt64(task))
                    let database = try database()
                    for number in 0..<count {
                        let choice = Choice(using: &generator)
                        do {
                            try await perform(choice, "\(task)-\(number)", in: database)
                        } catch let error as CabinetError where isExpected(error) {
                            continue
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        end()
        try check(try await shared.allRecords(matching: Self.all), "after all transfers")
    }

    private struct Choice: Sendable {
        let kind: Int
        let from: Int
        let to: Int
        let amount: Int

        init(using generator: inout SeededGenerator) {
            kind = Int.random(in: 0..<10, using: &generator)
            from = Int.random(in: 0..<1_000, using: &generator)
            to = Int.random(in: 0..<1_000, using: &generator)
            amount = Int.random(in: 1...50, using: &generator)
        }
    }

    private func perform(_ choice: Choice, _ name: String, in database: Database) async throws {
        try await database.transaction(attempts: 200) { t in
            // The IDs may be those of accounts that were closed since.
            let ids = try await database.allRecords(matching: Self.all, desiredKeys: []).map(\.recordID)
            guard !ids.isEmpty else { return try expect(false, "All accounts are gone.") }
            let (from, to) = (ids[choice.from % ids.count], ids[choice.to % ids.count])
            switch choice.kind {
            case 0:
                try check(try await t.allRecords(matching: Self.all), "in a transaction")
            case 1:
                guard let old = try? await t.record(for: from) else { return }
                try t.delete(from)
                try t.save(Record("Accounts", name, ["balance": old["balance"] as Int?]))
                try check(try await t.allRecords(matching: Self.all), "after a transaction's own writes")
            default:
                let read = try await t.records(for: [from, to])
                guard let source = read[from]?.record, let target = read[to]?.record, from != to else { return }
                try t.save(source.with(["balance": (source["balance"] ?? 0) - choice.amount]))
                try t.save(target.with(["balance": (target["balance"] ?? 0) + choice.amount]))
            }
        }
    }

    private func check(_ records: [Record], _ moment: String) throws {
        let sum = records.reduce(0) { $0 + ($1["balance"] ?? 0) }
        try expect("The accounts \(moment) (seed \(seed))", records.count, equals: accounts)
        try expect("The sum \(moment) (seed \(seed))", sum, equals: accounts * Self.balance)
    }
}
