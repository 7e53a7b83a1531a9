import Cabinet

/// The name that CloudKit shows for the container's user, ``CKCurrentUserDefaultName``, and the name that Cabinet stores.

extension CKRecord {
    /// Returns the ID of a user as CloudKit shows it.
    func shownUserID(_ id: RecordID) -> CKRecord.ID {
        CKRecord.ID(id.recordName == user ? RecordID(recordName: CKCurrentUserDefaultName) : id)
    }

    /// Replaces the user's shown name in changed references, before the record is sent.
    func resolveUser(_ user: String?) {
        guard let user else { return }
        change { record in
            for key in record.changedKeys() {
                guard let value = record.storedValue(forKey: key) else { continue }
                let resolved = value.resolvingUser(user)
                if resolved != value { record.setStoredValue(resolved, forKey: key) }
            }
        }
    }
}

extension RecordID {
    /// Returns the ID with the user's stored name if it has the shown one.
    func resolvingUser(_ user: String?) -> RecordID {
        guard let user, recordName == CKCurrentUserDefaultName, zoneID == .default else { return self }
        return RecordID(recordName: user)
    }
}

extension FieldValue {
    fileprivate func resolvingUser(_ user: String) -> FieldValue {
        func resolved(_ reference: Reference) -> Reference {
            Reference(recordID: reference.recordID.resolvingUser(user), action: reference.action)
        }
        return switch self {
        case .reference(let reference): .reference(resolved(reference))
        case .list(.reference(let references)): .list(.reference(references.map(resolved)))
        default: self
        }
    }
}

extension Subscription {
    /// Returns the subscription with the user's stored name in the filter's constants that have the shown one.
    func resolvingUser(_ user: String?) -> Subscription {
        guard case .query(let query) = self else { return self }
        return .query(
            QuerySubscription(
                recordType: query.recordType, filter: query.filter.resolvingUser(user),
                subscriptionID: query.subscriptionID, zoneID: query.zoneID, options: query.querySubscriptionOptions,
                desiredKeys: query.desiredKeys))
    }
}

extension Filter {
    /// Returns the filter with the user's stored name in the constants that have the shown one.
    func resolvingUser(_ user: String?) -> Filter {
        guard let user else { return self }
        switch self {
        case .comparison(var comparison):
            comparison.left = comparison.left.resolvingUser(user)
            comparison.right = comparison.right.resolvingUser(user)
            return .comparison(comparison)
        case .and(let children): return .and(children.map { $0.resolvingUser(user) })
        case .or(let children): return .or(children.map { $0.resolvingUser(user) })
        case .not(let child): return .not(child.resolvingUser(user))
        case .constant: return self
        }
    }
}

extension Filter.Expression {
    fileprivate func resolvingUser(_ user: String) -> Filter.Expression {
        switch self {
        case .constant(let value): .constant(value?.resolvingUser(user))
        case .list(let operands): .list(operands.map { $0.resolvingUser(user) })
        default: self
        }
    }
}
