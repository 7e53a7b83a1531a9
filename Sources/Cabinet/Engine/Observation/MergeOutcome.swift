/// The effect of merging a change set into the result of a live query.
enum MergeOutcome {
    /// The result is the same as before.
    case unchanged

    /// The result has changed.
    case changed

    /// The new result does not follow from the set: the query must run again.
    case stale
}
