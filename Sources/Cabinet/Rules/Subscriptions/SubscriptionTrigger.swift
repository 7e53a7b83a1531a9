/// The rule by which changes fire subscriptions.
///
/// ``QuerySubscription`` has the table. CloudKit does not document which updates fire when a record begins or ceases to match.
/// Here both fire as updates, and the notification has the transition.
enum SubscriptionTrigger {
    /// Returns the event that a change fires for a query subscription.
    ///
    /// - Parameters:
    ///   - options: The subscription's options.
    ///   - before: Whether the record matched; `nil` if it did not exist.
    ///   - after: Whether the record matches; `nil` if it does not exist any more.
    /// - Returns: The reason and the transition; `nil` if the change does not fire.
    static func firing(
        _ options: QuerySubscription.Options, before: Bool?, after: Bool?
    ) -> (reason: SubscriptionNotification.Reason, transition: SubscriptionNotification.Transition)? {
        switch (before, after) {
        case (nil, true): options.contains(.firesOnRecordCreation) ? (.recordCreated, .entered) : nil
        case (false, true): options.contains(.firesOnRecordUpdate) ? (.recordUpdated, .entered) : nil
        case (true, true): options.contains(.firesOnRecordUpdate) ? (.recordUpdated, .stayed) : nil
        case (true, false): options.contains(.firesOnRecordUpdate) ? (.recordUpdated, .left) : nil
        case (true, nil): options.contains(.firesOnRecordDeletion) ? (.recordDeleted, .left) : nil
        case (nil, _), (false, _): nil
        }
    }

    /// Whether a change can fire a query subscription, before its filter is evaluated.
    ///
    /// - Parameters:
    ///   - options: The subscription's options.
    ///   - existed: Whether the record existed before.
    ///   - exists: Whether the record exists afterwards.
    static func canFire(_ options: QuerySubscription.Options, existed: Bool, exists: Bool) -> Bool {
        firing(options, before: existed ? true : nil, after: exists ? true : nil) != nil
    }

    /// Whether a change in a zone fires a zone or database subscription.
    ///
    /// - Parameters:
    ///   - types: The types of the changed records.
    ///   - wanted: The type whose changes fire the subscription, or `nil` for all.
    static func fires(_ types: Set<Record.RecordType>?, wanted: Record.RecordType?) -> Bool {
        guard let types, !types.isEmpty else { return false }
        return wanted.map(types.contains) ?? true
    }
}
