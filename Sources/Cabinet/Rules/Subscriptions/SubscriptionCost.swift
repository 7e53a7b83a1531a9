/// The limits of the work that a user's subscriptions add to saves.
///
/// Every save evaluates the filters of all users' subscriptions. So the evaluation of each filter must take bounded time, and the
/// work of one user's subscriptions in a save is limited too.
enum SubscriptionCost {
    /// The maximum number of subscriptions that a user may have in one database.
    static let maximumCount = 500
    /// The maximum number of comparisons and non-constant operands of a filter.
    static let maximumUnits = 200
    /// The maximum number of bytes of a filter's constants.
    static let maximumConstantBytes = 10_000

    /// Returns the error if a filter's cost for a record is unbounded, or too high.
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

    /// Returns the error if a user would have too many subscriptions in a database.
    static func violation(saving id: Subscription.ID, asNumber count: Int) -> CabinetError? {
        guard count > maximumCount else { return nil }
        return CabinetError(
            .limitExceeded,
            "The subscription '\(id)' would be the user's number \(count) in the database; the limit is \(maximumCount). Delete "
                + "others, or subscribe to the zone or the database.")
    }

    /// Returns the work that all subscriptions of one user may add to the save of some records.
    ///
    /// It is 100,000 units, 1,000 for each record, and one for each byte of its fields.
    static func allowance(saving changes: RecordChanges) -> Int {
        changes.byType.values.joined().reduce(100_000) { sum, change in
            sum + 1_000 + (change.before?.fields.byteCount ?? 0) + (change.after?.fields.byteCount ?? 0)
        }
    }

    /// The work that all subscriptions of one user may add to the deletion of a zone, which reads every record of it.
    static let allowanceForZones = 10_000_000
}

extension Filter {
    fileprivate var hasRegularExpressions: Bool {
        var isFound = false
        forEachComparison { if $0.operator == .matches { isFound = true } }
        return isFound
    }
}
