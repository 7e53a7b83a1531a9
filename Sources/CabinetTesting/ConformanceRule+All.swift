extension ConformanceRule {
    /// Every rule.
    public static let all: [ConformanceRule] = [
        textValues, numberValues, otherValues, listValues, names, identity, savePolicies, conflicts,
        partialRecords, batches, nonAtomicBatches, cascades, nullification, denial, references,
        referencesInBatches, schema, schemaExtensions, indexes, scalarFilters, filterLogic, nilFilters,
        listFilters, textFilters, foldedFilters, quantifiedFilters, systemFieldFilters, filterErrors, computedFilters,
        pathFilters, placeAndWordFilters, order, computedOrders, paging, cursors, queries, aggregates, zones,
        zoneDeletion, changes, changeTokens, resolution, merges, observation, observationChanges, subscriptions,
        firing, notifications, subscriptionCosts, accounts, publicPermissions, privacy, userRecords, limits, work,
        conveniences,
        assets, assetFailures, assetLifetimes, assetStorage, verification, transactions, storage, storedQueries,
        concurrency, sequences, copying, durability, durableState, model,
    ].flatMap(\.self)
}
