extension StoredSubscription {
    /// Returns the subscription after a record type, or a field of one, was renamed; `nil` if it does not change.
    func renaming(_ part: SchemaPart, to newName: String) -> StoredSubscription? {
        guard SubscriptionRule.recordType(of: subscription) == part.recordType else { return nil }
        let renamed = subscription.renaming(part, to: newName)
        if renamed == subscription { return nil }
        return StoredSubscription(userName: userName, subscription: renamed, roles: Set(roles ?? []))
    }
}

extension Subscription {
    /// Returns the subscription, which is about the records of a type, after the type or a field of it was renamed.
    fileprivate func renaming(_ part: SchemaPart, to newName: String) -> Subscription {
        switch self {
        case .query(let query):
            return .query(query.renaming(part, to: newName))
        case .recordZone(var zone):
            if part.fieldKey == nil { zone.recordType = newName }
            return .recordZone(zone)
        case .database(var database):
            if part.fieldKey == nil { database.recordType = newName }
            return .database(database)
        }
    }
}

extension QuerySubscription {
    fileprivate func renaming(_ part: SchemaPart, to newName: String) -> QuerySubscription {
        var (type, filter, keys) = (recordType, filter, desiredKeys)
        if let old = part.fieldKey {
            filter = filter.renaming(old, to: newName)
            keys = keys.map { $0 == old ? newName : $0 }
        } else {
            type = newName
        }
        return QuerySubscription(
            recordType: type, filter: filter, subscriptionID: subscriptionID, zoneID: zoneID,
            options: querySubscriptionOptions, desiredKeys: keys)
    }
}

extension Filter {
    /// Returns the filter with another name of a field of the filtered records.
    fileprivate func renaming(_ old: Record.FieldKey, to new: Record.FieldKey) -> Filter {
        // A filter that is too deep for recursion cannot be saved.
        isShallow ? replacingExpressions { $0.renaming(old, to: new) } : self
    }
}

extension Filter.Expression {
    fileprivate func renaming(_ old: Record.FieldKey, to new: Record.FieldKey) -> Filter.Expression {
        guard case .field(let key) = self else { return replacingOperands { $0.renaming(old, to: new) } }
        if key == old { return .field(new) }
        guard FieldPath.isLong(key), (try? FieldPath(key).first) == old else { return self }
        return .field(new + key.dropFirst(old.count))
    }
}
