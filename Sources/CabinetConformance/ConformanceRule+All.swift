import Cabinet
import Foundation

extension ConformanceRule {
    /// Every rule.
    public static let all: [ConformanceRule] = written + indexed(written) + model

    /// The rules in the folder `Rules`.
    static let written: [ConformanceRule] = [
        textValues,
        numberValues,
        otherValues,
        listValues,
        encryption,
        decryption,
        lostKeys,
        names,
        identity,
        savePolicies,
        conflicts,
        partialRecords,
        batches,
        nonAtomicBatches,
        repeatedRequests,
        readingTransactions,
        transactionQueries,
        cascades,
        groupedCascades,
        nullification,
        denial,
        references,
        referencesInBatches,
        schema,
        schemaExtensions,
        strictSchemas,
        deployments,
        schemaRenames,
        schemaDrops,
        jsonIndexes,
        migrations,
        uniqueValues,
        indexes,
        scalarFilters,
        filterLogic,
        nilFilters,
        listFilters,
        textFilters,
        foldedFilters,
        quantifiedFilters,
        systemFieldFilters,
        filterErrors,
        computedFilters,
        pathFilters,
        referring,
        json,
        locationAndWordFilters,
        searches,
        order,
        computedOrders,
        paging,
        cursors,
        queries,
        aggregates,
        groups,
        zones,
        zoneDeletion,
        changes,
        changeTokens,
        zoneRemovals,
        changeTags,
        timelines,
        syncEngines,
        owners,
        resolution,
        merges,
        observation,
        observationChanges,
        observedAggregates,
        firstRecords,
        subscriptions,
        firing,
        notifications,
        subscriptionCosts,
        accounts,
        publicPermissions,
        publicReferences,
        privacy,
        reach,
        roles,
        grants,
        noninterference,
        userRecords,
        shares,
        acceptance,
        sharedZones,
        sharedChanges,
        hierarchies,
        oneTimeURLs,
        accessRequests,
        hierarchyViews,
        hierarchyMoves,
        leaving,
        limits,
        work,
        conveniences,
        assets,
        assetAccess,
        assetFailures,
        assetLifetimes,
        assetStorage,
        verification,
        transactions,
        rollbacks,
        storage,
        loads,
        entries,
        mutations,
        renaming,
        applying,
        feeds,
        lives,
        storedQueries,
        indexedQueries,
        storageDetails,
        similarNames,
        concurrency,
        sequences,
        copying,
        durability,
        durableState,
        sharedStores,
        crashes,
    ].flatMap(\.self)

    /// The rule or family that the environment variable `CABINET_RULE` names; without it, every rule.
    ///
    /// If the variable names none, the only rule is one that fails and says so.
    public static let chosen: [ConformanceRule] = {
        guard let name = ProcessInfo.processInfo.environment["CABINET_RULE"], !name.isEmpty else { return all }
        do {
            return try named([name])
        } catch {
            let law = "The environment variable CABINET_RULE names a rule or a family."
            return [
                ConformanceRule(.storage, "the chosen rule", law: law, source: .cabinet("rules")) { _ in throw error }
            ]
        }
    }()

    /// Returns the rules with the given names: a family, such as `delete rules`, or a single rule.
    ///
    /// A rule has its ``name``, or its ``description`` as failures print it: `delete rules: a cycle is deleted as a whole`.
    ///
    /// - Parameter words: The names. An empty array selects every rule.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if a word is neither a family nor a rule.
    public static func named(_ words: [String]) throws -> [ConformanceRule] {
        if words.isEmpty { return all }
        return try words.flatMap { word in
            let found = all.filter { [$0.family.rawValue, $0.name, $0.description].contains(word) }
            if found.isEmpty {
                let families = Family.allCases.map(\.rawValue).joined(separator: ", ")
                throw CabinetError(
                    .invalidArguments,
                    "'\(word)' is neither a family of rules nor a rule. The families are: \(families).")
            }
            return found
        }
    }
}
