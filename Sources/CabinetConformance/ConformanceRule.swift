public import Cabinet
import Foundation

/// One law of Cabinet, and the code that checks whether a backend obeys it.
///
/// <doc:ProvingABackend> runs the rules from Swift Testing, XCTest and a program.
///
/// Rules are values in one array. A backend author writes one test, and that test also runs every rule that is added
/// later:
///
/// ```swift
/// @Test(arguments: ConformanceRule.all)
/// func conformance(_ rule: ConformanceRule) async throws {
///     try await rule.run { MyBackend() }
/// }
/// ```
public struct ConformanceRule: Sendable {
    /// A short statement that holds if the rule passes; no two rules share a name.
    public let name: String

    /// The subject of the rule.
    public let family: Family

    /// The law in one sentence.
    public let law: String

    /// The document that states the law.
    public let source: Source

    /// A Boolean value that indicates whether the rule is about state that survives closing and reopening a store.
    ///
    /// Such a rule passes on every backend that is run without a way to reopen its store.
    public let needsReopening: Bool

    /// A Boolean value that indicates whether the rule needs a second process that opens the same store.
    ///
    /// Such a rule does not apply to a ``ConformanceSubject`` without a helper.
    public let needsHelper: Bool

    /// A Boolean value that indicates whether the rule replaces the files of a closed store with an older copy.
    ///
    /// Such a rule does not apply to a ``ConformanceSubject`` whose stores belong to a server, which keeps running when
    /// a backend is closed.
    public let needsFiles: Bool

    /// The abilities that the rule needs.
    ///
    /// It does not apply to a backend that lacks one of them.
    public let neededAbilities: Set<Ability>

    let body: @Sendable (ConformanceWorld) async throws -> Void

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - family: The subject of the rule.
    ///   - name: A short statement that holds if the rule passes.
    ///   - law: The law in one sentence.
    ///   - source: The document that states the law.
    ///   - needsReopening: Whether the rule is about state that survives closing and reopening a store.
    ///   - needsHelper: Whether the rule needs a second process that opens the same store.
    ///   - needsFiles: Whether the rule replaces the files of a closed store with an older copy.
    ///   - abilities: The abilities that the rule needs; `nil` for those that its family needs.
    ///   - body: Throws if the law does not hold in the given world. It uses ``expect(_:_:fileID:line:)`` and its
    ///     relatives.
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

    /// Checks whether a backend obeys the law.
    ///
    /// Test frameworks start all tests at once. At most four rules per processor run at the same time, so that a rule's
    /// time limit measures the rule alone.
    ///
    /// - Parameters:
    ///   - reopen: Opens the store of the backend that `makeBackend` returned, after that backend was closed; `nil` if
    ///     the backend keeps its records only while it lives.
    ///   - timeLimit: The longest time that the rule may take. A rule that exceeds it fails and is abandoned.
    ///   - makeBackend: Creates an empty backend. It is called once, and the rule closes the backend.
    /// - Throws: ``ConformanceFailure`` if the law does not hold, and any error that `makeBackend` throws.
    public func run(
        reopening reopen: (@Sendable () async throws -> any StorageBackend)? = nil, timeLimit: Duration = .seconds(180),
        _ makeBackend: @Sendable () async throws -> any StorageBackend
    ) async throws {
        try await run(reopening: reopen, helper: nil, timeLimit: timeLimit, makeBackend)
    }

    /// Checks whether a backend obeys the law, with a helper that performs a task in a second process.
    ///
    /// - Returns: Whether the rule applies to the backend.
    @discardableResult
    func run(
        reopening reopen: (@Sendable () async throws -> any StorageBackend)?, helper: HelperTask.Run?,
        directory: URL? = nil, timeLimit: Duration = .seconds(180), adapt: @escaping ContainerAdapter = { $0 },
        _ makeBackend: @Sendable () async throws -> any StorageBackend
    ) async throws -> Bool {
        if needsReopening && reopen == nil || needsHelper && helper == nil { return false }
        return try await Self.permits.withResource {
            let slot = RunningRules.begin(description)
            defer { RunningRules.end(slot) }
            return try await runNow(
                reopening: reopen, helper: helper, directory: directory, timeLimit: timeLimit, adapt: adapt, makeBackend
            )
        }
    }

    private static let permits = ResourcePool(permits: 4 * ProcessInfo.processInfo.activeProcessorCount)

    private func runNow(
        reopening reopen: (@Sendable () async throws -> any StorageBackend)?, helper: HelperTask.Run?,
        directory: URL?, timeLimit: Duration, adapt: @escaping ContainerAdapter,
        _ makeBackend: @Sendable () async throws -> any StorageBackend
    ) async throws -> Bool {
        let backend = try await makeBackend()
        guard neededAbilities.isSubset(of: Ability.all(of: backend)) else {
            await backend.close()
            return false
        }
        let world = ConformanceWorld(
            backend: backend, deadline: .now.advanced(by: timeLimit * 3 / 4), reopen: reopen,
            helper: helper, directory: directory, adapt: adapt)
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
        /// Storing the bytes of assets.
        case assets
        /// Listing the databases of the store.
        case databases
        /// Checking and rebuilding derived structures below the storage protocols.
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
    /// A subject of rules.
    ///
    /// The narrowest families come first: a broken requirement of the storage protocols also breaks rules about what
    /// users observe.
    public enum Family: String, Sendable, CaseIterable {
        /// The core's requirements for a backend's reads and writes.
        case storage
        /// The core's requirements for a backend's transactions.
        case transactions
        /// The values that fields hold.
        case values
        /// Values that only programs with their keys read.
        case encryption = "encrypted values"
        /// The names of types, fields and records.
        case names
        /// The metadata that the server keeps about a record.
        case identity
        /// The versions that a save compares, and the fields that it sends.
        case savePolicies = "save policies"
        /// Several records in one request.
        case batches
        /// The effect of a deletion on the records that refer to the deleted one.
        case deleteRules = "delete rules"
        /// The targets that references may have.
        case references
        /// The effect of a field's first save on the schema.
        case schema
        /// The records that a query finds.
        case filters
        /// The order of a query's records.
        case order
        /// The pages of a query's records.
        case paging
        /// The creation and deletion of zones, and the records in them.
        case zones
        /// The changes since a token.
        case changes
        /// Values that are computed from a query's records without fetching them.
        case aggregates
        /// The states that an observer of a query receives.
        case observation
        /// Subscriptions, and the notifications that they produce.
        case subscriptions
        /// The permissions of users in each database.
        case accounts
        /// The zones that users share with others.
        case sharing
        /// The size limits of requests.
        case limits
        /// Conveniences on top of CloudKit's calls.
        case conveniences
        /// Files that belong to records.
        case assets
        /// The findings of a check of the whole store, and the effect of a repair.
        case verification
        /// Concurrent requests.
        case concurrency
        /// Copies of a database in another store.
        case copying
        /// State that survives closing a store.
        case durability
        /// Generated operations of clients and devices.
        case model = "random operations"
    }

    /// The document that states a law.
    public enum Source: Sendable, Hashable {
        /// CloudKit's headers or documentation, under the given name.
        case cloudKit(String)
        /// Cabinet's own design, where it goes beyond CloudKit, under the given topic.
        case cabinet(String)
        /// A requirement of the storage protocols, with the given name.
        case storage(String)
    }
}

extension ConformanceRule: Identifiable, CustomStringConvertible {
    /// The rule's name.
    public var id: String { name }

    /// The family and the name: `delete rules: a cycle is deleted as a whole`.
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
