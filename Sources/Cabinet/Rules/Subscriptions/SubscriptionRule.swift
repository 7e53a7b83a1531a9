/// The rules of saving subscriptions.
package enum SubscriptionRule {
    /// Returns the error if a subscription cannot be saved in any state of the database.
    static func violation(
        saving subscription: Subscription, in scope: DatabaseScope
    ) -> CabinetError? {
        if let violation = NameRule.subscriptionID.violation(in: subscription.subscriptionID) { return violation }
        switch subscription {
        case .query(let query): return shared(scope, "A query") ?? violation(saving: query)
        case .recordZone(let zone): return shared(scope, "A zone") ?? violation(of: zone.recordType)
        case .database(let database): return violation(of: database.recordType)
        }
    }

    /// Returns the zone that must exist for a subscription; `nil` if it needs none.
    static func zoneID(of subscription: Subscription) -> RecordZone.ID? {
        switch subscription {
        case .query(let query): query.zoneID
        case .recordZone(let zone): zone.zoneID
        case .database: nil
        }
    }

    /// Returns the record type whose changes a subscription is about; `nil` for all.
    package static func recordType(of subscription: Subscription) -> Record.RecordType? {
        switch subscription {
        case .query(let query): query.recordType
        case .recordZone(let zone): zone.recordType
        case .database(let database): database.recordType
        }
    }

    /// Returns the error if a subscription's filter does not fit the fields of the schema.
    static func violation(saving subscription: Subscription, schema: StoredSchema) -> CabinetError? {
        guard case .query(let query) = subscription else { return nil }
        do {
            try query.filter.validate(fields: FieldTypes(of: query.recordType, in: schema))
            return nil
        } catch {
            return error as? CabinetError ?? CabinetError(.internalError, "\(error)")
        }
    }

    /// Returns the error for a subscription that does not exist.
    static func unknown(_ id: Subscription.ID, in scope: DatabaseScope) -> CabinetError {
        CabinetError(.unknownItem, "The user has no subscription '\(id)' in the \(scope) database.")
    }

    private static func shared(_ scope: DatabaseScope, _ subject: String) -> CabinetError? {
        guard scope == .shared else { return nil }
        return CabinetError(
            .badDatabase,
            "\(subject) subscription cannot be saved in the shared database; use a DatabaseSubscription."
        )
    }

    private static func violation(saving query: QuerySubscription) -> CabinetError? {
        if let violation = violation(of: query.recordType) { return violation }
        let events: QuerySubscription.Options = [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
        if query.querySubscriptionOptions.isDisjoint(with: events) {
            return CabinetError(
                .invalidArguments,
                "The subscription '\(query.subscriptionID)' has nothing that fires it; expected at least one of firesOnRecordCreation, firesOnRecordUpdate, firesOnRecordDeletion."
            )
        }
        for key in query.desiredKeys {
            if let violation = NameRule.fieldKey.violation(in: key, fieldKey: key) { return violation }
        }
        do throws(CabinetError) {
            // Check the depth before the filter is traversed recursively.
            try query.filter.validateDepth()
        } catch {
            return error
        }
        if let violation = SubscriptionCost.violation(saving: query) { return violation }
        guard let path = query.filter.pathToOthers else { return nil }
        return CabinetError(
            .invalidArguments,
            "The filter of a subscription cannot follow references, as '\(path)' does: changes of other records do not fire it. Subscribe to the other records' type, or observe a query.",
            fieldKey: path)
    }

    private static func violation(of recordType: Record.RecordType?) -> CabinetError? {
        guard let recordType else { return nil }
        if let violation = NameRule.recordType.violation(in: recordType) { return violation }
        guard recordType == UserRecordRule.recordType else { return nil }
        return CabinetError(
            .invalidArguments, "Changes of Users records are not reported, so a subscription cannot have this type.")
    }
}

extension Filter {
    /// A key path of the filter to other records; `nil` if it has none.
    var pathToOthers: Record.FieldKey? {
        var found: Record.FieldKey?
        forEachOperand { operand in
            switch operand {
            case .field(let key) where FieldPath.isLong(key):
                if ((try? FieldPath(key).steps) ?? []).count(where: \.isName) > 1 { found = key }
            case .member(_, let member):
                if ((try? FieldPath.steps(of: member)) ?? []).contains(where: \.isName) { found = member }
            case .referring: found = operand.abbreviated
            default: break
            }
        }
        return found
    }
}

extension FieldPath.Step {
    fileprivate var isName: Bool {
        if case .name = self { true } else { false }
    }
}
