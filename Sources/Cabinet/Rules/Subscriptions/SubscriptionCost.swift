/// Limits the work that a user's subscriptions add to saves.
///
/// Every save evaluates the filters of all users' subscriptions. So a filter must be one that is evaluated in bounded time, and what
/// the subscriptions of one user cost a save is bounded too.
enum SubscriptionCost {
    /// The most query subscriptions, and others, that a user may have in one database.
    static let maximumCount = 500
    /// The most comparisons of a filter, and operands that are not constants.
    static let maximumUnits = 200
    /// The most bytes of a filter's constants.
    static let maximumConstantBytes = 10_000

    /// The error if a filter is one whose cost for a record is not bounded, or too high.
    static func violation(saving query: QuerySubscription) -> CabinetError? {
        if query.filter.hasRegularExpressions {
            return CabinetError(
                .invalidArguments,
                "The filter of a subscription cannot use MATCHES, whose cost for one record has no bound. Use BEGINSWITH, CONTAINS or "
                    + "LIKE, or observe a query.")
        }
        let units = query.filter.unitsPerRecord
        if units > maximumUnits {
            return CabinetError(
                .limitExceeded,
                "The filter of the subscription '\(query.subscriptionID)' has \(units) comparisons and operands; the limit is "
                    + "\(maximumUnits). Compare with a list by IN, or save several subscriptions.")
        }
        let bytes = query.filter.constantBytes
        guard bytes > maximumConstantBytes else { return nil }
        return CabinetError(
            .limitExceeded,
            "The constants in the filter of the subscription '\(query.subscriptionID)' take \(bytes) bytes; the limit is "
                + "\(maximumConstantBytes). Use shorter lists and texts, or save several subscriptions.")
    }

    /// The error if a user would have too many subscriptions in a database.
    static func violation(saving id: Subscription.ID, asNumber count: Int) -> CabinetError? {
        guard count > maximumCount else { return nil }
        return CabinetError(
            .limitExceeded,
            "The subscription '\(id)' would be the user's number \(count) in the database; the limit is \(maximumCount). Delete "
                + "others, or subscribe to the zone or the database.")
    }

    /// The work that all subscriptions of one user may cost the save of some records: 100,000 units, 1,000 for each record, and one
    /// for each byte of its fields.
    static func allowance(saving changes: RecordChanges) -> Int {
        changes.byType.values.joined().reduce(100_000) { sum, change in
            sum + 1_000 + (change.before?.fields.byteCount ?? 0) + (change.after?.fields.byteCount ?? 0)
        }
    }

    /// The work that all subscriptions of one user may cost the deletion of a zone, of which every record is read.
    static let allowanceForZones = 10_000_000

    /// The units of work for compiling a filter.
    static func unitsToCompile(_ filter: Filter) -> Int {
        filter.unitsPerRecord + filter.constantBytes / 4
    }
}

extension Filter {
    fileprivate var hasRegularExpressions: Bool {
        var isFound = false
        forEachComparison { if $0.operator == .matches { isFound = true } }
        return isFound
    }

    /// About how many bytes the constants take.
    fileprivate var constantBytes: Int {
        var count = 0
        forEachOperand { operand in
            if case .constant(let value) = operand { count += value?.byteCount ?? 1 }
        }
        return count
    }
}
