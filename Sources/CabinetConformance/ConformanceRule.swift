public import Cabinet
import Foundation

/// One law of Cabinet, and the code that finds out whether a backend keeps it.
///
/// Rules are values in one array, so that a backend author writes one test, and a rule that is added later is run
/// without anybody having to remember it:
///
/// ```swift
/// @Test(arguments: ConformanceRule.all)
/// func conformance(_ rule: ConformanceRule) async throws {
///     try await rule.run { MyBackend() }
/// }
/// ```
public struct ConformanceRule: Sendable {
    /// What the rule demands, as a short statement; no two rules share a name.
    public let name: String

    /// The subject that the rule belongs to.
    public let family: Family

    /// The law in one sentence.
    public let law: String

    /// Where the law is written down.
    public let source: Source

    /// Whether the rule is about what a store keeps when it is closed and opened again.
    ///
    /// Such a rule holds of every backend that is run without a way to open its store again.
    public let needsReopening: Bool

    /// Whether the rule needs a second process that opens the same store.
    ///
    /// Such a rule does not apply to a ``ConformanceSubject`` without a helper.
    public let needsHelper: Bool

    /// Whether the rule is about a store whose files an older copy can take the place of while it is closed.
    ///
    /// Such a rule does not apply to a ``ConformanceSubject`` with stores of a server, which goes on when a backend is closed.
    public let needsFiles: Bool

    /// The abilities that the rule needs of the backend; it does not apply to one that lacks one of them.
    public let neededAbilities: Set<Ability>

    let body: @Sendable (ConformanceWorld) async throws -> Void

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - family: The subject that the rule belongs to.
    ///   - name: What the rule demands, as a short statement.
    ///   - law: The law in one sentence.
    ///   - source: Where the law is written down.
    ///   - needsReopening: Whether the rule is about what a store keeps when it is closed and opened again.
    ///   - needsHelper: Whether the rule needs a second process that opens the same store.
    ///   - needsFiles: Whether the rule is about a store whose files an older copy can take the place of.
    ///   - abilities: The abilities that the rule needs of the backend; `nil` for those that its family needs.
    ///   - body: Throws if the law does not hold in the world that it is given; made of ``expect(_:_:fileID:line:)``
    ///     and its relatives.
    public init(
        _ family: Family, _ name: String, law: String, source: Source, needsReopening: Bool = false,
        needsHelper: Bool = false, needsFiles: Bool = false, abilities: Set<Ability>? = nil,
        body: @escaping @Sendable (ConformanceWorld) async throws -> Void
    ) {
        self.family = family
        self.name = name
        self.law = law
        self.source = source
        self.needsReopening = needsReopening
        self.needsHelper = needsHelper
        self.needsFiles = needsFiles
        neededAbilities = abilities ?? (family == .assets ? [.assets] : [])
        self.body = body
    }

    /// Finds out whether a backend keeps the law.
    ///
    /// Test frameworks begin all tests at once. A rule waits until few others of the process are running, four for each
    /// processor, so that its time is its own.
    ///
    /// - Parameters:
    ///   - reopen: Opens the store of the backend that `makeBackend` returned, after that backend was closed; `nil` if
    ///     the backend keeps nothing beyond its own life.
    ///   - timeLimit: How long the rule may take. A rule that takes longer fails, and is left behind.
    ///   - makeBackend: Makes a backend without any record; called once. The rule closes it.
    /// - Throws: ``ConformanceFailure`` if the law does not hold, and what `makeBackend` throws.
    public func run(
        reopening reopen: (@Sendable () async throws -> any StorageBackend)? = nil, timeLimit: Duration = .seconds(60),
        _ makeBackend: @Sendable () async throws -> any StorageBackend
    ) async throws {
        try await run(reopening: reopen, helper: nil, timeLimit: timeLimit, makeBackend)
    }

    /// Finds out whether a backend keeps the law, with a helper that performs a task in a second process.
    ///
    /// - Returns: Whether the rule applies to the backend.
    @discardableResult
    func run(
        reopening reopen: (@Sendable () async throws -> any StorageBackend)?, helper: HelperTask.Run?,
        timeLimit: Duration = .seconds(60), _ makeBackend: @Sendable () async throws -> any StorageBackend
    ) async throws -> Bool {
        if needsReopening && reopen == nil || needsHelper && helper == nil { return false }
        return try await Self.permits.withResource {
            let slot = RunningRules.begin(description)
            defer { RunningRules.end(slot) }
            return try await runNow(reopening: reopen, helper: helper, timeLimit: timeLimit, makeBackend)
        }
    }

    private static let permits = ResourcePool(permits: 4 * ProcessInfo.processInfo.activeProcessorCount)

    private func runNow(
        reopening reopen: (@Sendable () async throws -> any StorageBackend)?, helper: HelperTask.Run?,
        timeLimit: Duration, _ makeBackend: @Sendable () async throws -> any StorageBackend
    ) async throws -> Bool {
        let backend = try await makeBackend()
        guard neededAbilities.isSubset(of: Ability.all(of: backend)) else {
            await backend.close()
            return false
        }
        let world = ConformanceWorld(
            backend: backend, deadline: .now.advanced(by: timeLimit * 3 / 4), reopen: reopen,
            helper: helper)
        do {
            try await TimeLimit.run(timeLimit) { [body] in
                do {
                    try await body(world)
                } catch {
                    await world.backend.close()
                    throw error
                }
                await world.backend.close()
            }
        } catch {
            throw ConformanceFailure(error, in: self)
        }
        return true
    }
}

extension ConformanceRule {
    /// An ability that a backend may lack.
    public enum Ability: Sendable, CaseIterable {
        /// Keeping the bytes of assets.
        case assets
        /// Listing the databases of the store.
        case databases
        /// Checking and rebuilding what lies below the storage protocols.
        case maintenance
        /// Signalling changes.
        case signals

        /// The abilities of a backend.
        static func all(of backend: any StorageBackend) -> Set<Ability> {
            let abilities = backend.abilities
            return Set(
                allCases.filter { ability in
                    switch ability {
                    case .assets: abilities.assets != nil
                    case .databases: abilities.databases != nil
                    case .maintenance: abilities.maintenance != nil
                    case .signals: abilities.signals != nil
                    }
                })
        }
    }
}

extension ConformanceRule {
    /// A subject that rules are about.
    public enum Family: String, Sendable, CaseIterable {
        /// What fields can hold.
        case values
        /// What types, fields and records can be called.
        case names
        /// What the server keeps about a record.
        case identity
        /// What a save compares and sends.
        case savePolicies = "save policies"
        /// Several records in one request.
        case batches
        /// What a deletion does to the records that refer to the deleted one.
        case deleteRules = "delete rules"
        /// Where references may point.
        case references
        /// What the first save of a field decides.
        case schema
        /// Which records a query finds.
        case filters
        /// In which order a query finds records.
        case order
        /// How a query's records are fetched page by page.
        case paging
        /// How zones are made and deleted, and what lives in them.
        case zones
        /// What has changed since a token.
        case changes
        /// What is computed of a query's records, and told about them, without fetching them.
        case aggregates
        /// What somebody sees who observes a query.
        case observation
        /// What users want to be told of, and what they are told.
        case subscriptions
        /// Who may do what, and in which database.
        case accounts
        /// How large requests may be.
        case limits
        /// What sits on top of CloudKit's calls.
        case conveniences
        /// Files that belong to records.
        case assets
        /// What a check of the whole store finds, and what a repair does.
        case verification
        /// What the core expects of a backend's transactions.
        case transactions
        /// What the core expects of a backend's reads and writes.
        case storage
        /// What many do at once.
        case concurrency
        /// How a database moves into another store.
        case copying
        /// What a store keeps when it is closed.
        case durability
        /// What clients and devices make up.
        case model = "random operations"
    }

    /// Where a law is written down.
    public enum Source: Sendable, Hashable {
        /// In CloudKit's headers or documentation, under the given name.
        case cloudKit(String)
        /// In Cabinet's own design, where it goes beyond CloudKit, under the given topic.
        case cabinet(String)
        /// At a requirement of the storage protocols, which has the given name.
        case storage(String)
    }
}

extension ConformanceRule: Identifiable, CustomStringConvertible {
    /// The rule's name.
    public var id: String { name }

    /// The family and the name: `delete rules: a cycle goes whole`.
    public var description: String { "\(family.rawValue): \(name)" }
}

extension ConformanceRule.Source: CustomStringConvertible {
    /// The source as a reference that a reader can follow: `CloudKit, CKRecord.h`.
    public var description: String {
        switch self {
        case .cloudKit(let page): "CloudKit, \(page)"
        case .cabinet(let topic): "Cabinet, \(topic)"
        case .storage(let requirement): "Cabinet, \(requirement)"
        }
    }
}
