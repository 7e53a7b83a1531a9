/// Subscriptions and notifications.
extension DatabaseVerification {
    func checkSubscriptions() async throws {
        guard let all = try await attempt("Subscriptions", await snapshot.subscriptions(of: nil)) else { return }
        counts.subscriptions += all.count
        for stored in all {
            // The shared database takes some that others do not; which of them it has is not told here.
            if let violation = SubscriptionRule.violation(saving: stored.subscription, in: .private) {
                add(.subscription, "\(violation.message) Save it again, or delete it.", stored)
            }
        }
        for (user, subscriptions) in Dictionary(grouping: all, by: \.userName).sorted(by: { $0.key < $1.key }) {
            guard
                let found = try await attempt("Subscriptions of \(user)", await snapshot.subscriptions(of: user)),
                try await checkNotifications(to: user)
            else { continue }
            if Set(found) != Set(subscriptions) || found.count != subscriptions.count {
                log.add(
                    StoredDamage(
                        .subscription,
                        "The user \(user) has \(subscriptions.count) subscriptions, and is told of \(found.count), or of others.",
                        isRepairable: true))
            }
        }
    }

    /// Looks at the numbers of a user's notifications.
    ///
    /// - Returns: Whether they can be read.
    private func checkNotifications(to user: String) async throws -> Bool {
        let expiration = try await attempt(
            "Notifications of \(user)", await snapshot.notificationExpirationNumber(of: user))
        guard let expiration else { return false }
        var place: Int64 = 0
        while let page = try await attempt(
            "Notifications of \(user)", await snapshot.notifications(to: user, after: place, limit: Self.pageSize))
        {
            for notification in page {
                let number = notification.sequenceNumber
                if number <= place || number > lastSequenceNumber || number <= expiration {
                    log.add(
                        StoredDamage(
                            .notification,
                            "The notification \(number) of \(user) does not come after \(max(place, expiration)), or not "
                                + "before \(lastSequenceNumber), the last number that was given out."))
                    return true
                }
                place = number
            }
            try pause()
            if page.count < Self.pageSize { return true }
        }
        return false
    }

    private func add(_ kind: StoredDamage.Kind, _ message: String, _ stored: StoredSubscription) {
        log.add(
            StoredDamage(
                kind,
                "The subscription '\(stored.subscription.subscriptionID)' of \(stored.userName) cannot be: \(message)"))
    }

    /// Looks at names, and at what indexes are made of.
    func checkSchema() {
        for (type, fields) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
            for key in fields.keys.sorted() {
                guard let complaint = NameRule.fieldKey.complaint(about: key) else { continue }
                log.add(StoredDamage(.schema, complaint, recordType: type, fieldKey: key))
            }
        }
        do {
            let known = Schema(schema)
            try SchemaExtensionRule.validate(known)
            _ = try SchemaExtensionRule.changes(to: schema, by: known)
        } catch {
            log.add(StoredDamage(.schema, error.message, fieldKey: error.fieldKey))
        }
    }
}
