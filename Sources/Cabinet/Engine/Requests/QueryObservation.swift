/// The results of an observed query, each computed when its reader requests it.
///
/// Nothing is buffered for a reader. The observation ends when the value is released.
struct QueryObservation {
    /// Waits for the next result: at first the current one, and then a new one whenever the records have changed.
    ///
    /// The result is `nil` once the task is cancelled or the service is closed. After an error, the next call runs the query
    /// again.
    let next: () async throws -> [Record]?
}
