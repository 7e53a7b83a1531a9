/// Translates a user's own zones to one of their two names.
///
/// As in CloudKit, a zone can be named with the placeholder ``RecordZone/ID/defaultOwnerName`` and with the user's own record
/// name. Stores have only the placeholder: every request is translated to it, and results have it. Results are keyed by the IDs
/// that the request names.
package struct OwnerRule: Sendable {
    /// The account's user; `nil` without an account.
    let user: String?

    /// Creates the rule for a user.
    package init(user: String?) {
        self.user = user
    }

    /// Returns the same zone ID with the placeholder.
    package func canonical(_ zoneID: RecordZone.ID) -> RecordZone.ID {
        user.map(zoneID.asOwn) ?? zoneID
    }

    /// Returns the same record ID with the placeholder.
    package func canonical(_ id: RecordID) -> RecordID {
        isCanonical(id) ? id : RecordID(recordName: id.recordName, zoneID: canonical(id.zoneID))
    }

    func canonical(_ reference: Reference) -> Reference {
        Reference(recordID: canonical(reference.recordID), action: reference.action)
    }

    /// Whether an ID does not have the user's own name.
    func isCanonical(_ id: RecordID) -> Bool {
        user.map { !id.zoneID.namesOwner($0) } ?? true
    }
}

extension OwnerRule {
    /// Returns the same subscription with the placeholder.
    package func canonical(_ subscription: Subscription) -> Subscription {
        switch subscription {
        case .query(let query):
            .query(
                QuerySubscription(
                    recordType: query.recordType, filter: canonical(query.filter) ?? query.filter,
                    subscriptionID: query.subscriptionID, zoneID: query.zoneID.map(canonical),
                    options: query.querySubscriptionOptions, desiredKeys: query.desiredKeys))
        case .recordZone(let zone):
            .recordZone(
                RecordZoneSubscription(
                    zoneID: canonical(zone.zoneID), subscriptionID: zone.subscriptionID, recordType: zone.recordType))
        case .database: subscription
        }
    }

    /// Returns the same filter with the placeholder in its references; `nil` if it has no reference to replace.
    package func canonical(_ filter: Filter) -> Filter? {
        // A filter that is too deep for recursion is refused later.
        guard filter.isShallow else { return nil }
        guard filter.containsReference(where: { !isCanonical($0.recordID) }) else { return nil }
        return filter.replacingExpressions { $0.mappingReferences(canonical) }
    }
}

extension Filter {
    fileprivate func containsReference(where predicate: (Reference) -> Bool) -> Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison):
            comparison.left.containsReference(where: predicate) || comparison.right.containsReference(where: predicate)
        case .and(let children), .or(let children): children.contains { $0.containsReference(where: predicate) }
        case .not(let child): child.containsReference(where: predicate)
        }
    }
}

extension Filter.Expression {
    fileprivate func containsReference(where predicate: (Reference) -> Bool) -> Bool {
        switch self {
        case .constant(.reference(let reference)): predicate(reference)
        case .constant(.list(.reference(let references))): references.contains(where: predicate)
        case .constant, .field, .variable, .searchableText, .unstorable: false
        case .referring(_, _, let filter): filter.containsReference(where: predicate)
        default: operands.contains { $0.containsReference(where: predicate) }
        }
    }

    fileprivate func mappingReferences(_ transform: (Reference) -> Reference) -> Filter.Expression {
        if case .constant(let value?) = self { return value.mappingReferences(transform).map { .constant($0) } ?? self }
        return replacingOperands { $0.mappingReferences(transform) }
    }
}
