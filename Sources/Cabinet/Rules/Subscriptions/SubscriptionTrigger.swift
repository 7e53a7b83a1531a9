/// Which changes fire a subscription.
///
/// The table stands at ``QuerySubscription``. CloudKit leaves open what an update fires that makes a record match, or match no more:
/// here it is an update of a record that the query is about, and the notification says which of them it is.
enum SubscriptionTrigger {
    /// What a query subscription tells of a change.
    ///
    /// - Parameters:
    ///   - options: The subscription's options.
    ///   - before: Whether the record matched; `nil` if it did not exist.
    ///   - after: Whether the record matches; `nil` if it does not exist any more.
    /// - Returns: `nil` if it tells nothing.
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

    /// Whether a change can fire a query subscription, whatever its filter says of the record.
    ///
    /// - Parameters:
    ///   - options: The subscription's options.
    ///   - existed: Whether there was the record before.
    ///   - exists: Whether there is the record after.
    static func canFire(_ options: QuerySubscription.Options, existed: Bool, exists: Bool) -> Bool {
        firing(options, before: existed ? true : nil, after: exists ? true : nil) != nil
    }

    /// Whether a change in a zone fires a zone or database subscription.
    ///
    /// - Parameters:
    ///   - types: The types of the records that were changed.
    ///   - wanted: The type whose changes count, or `nil` for all.
    static func fires(_ types: Set<Record.RecordType>?, wanted: Record.RecordType?) -> Bool {
        guard let types, !types.isEmpty else { return false }
        return wanted.map(types.contains) ?? true
    }
}
