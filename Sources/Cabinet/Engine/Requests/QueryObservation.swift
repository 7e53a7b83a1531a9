/// The results of an observed query, each sent when its reader asks for it.
///
/// Nothing is buffered for a reader that does not ask. The observation ends when the value is released.
struct QueryObservation {
    /// Waits for the next result: the first at once, and then whenever the records have changed.
    ///
    /// The result is `nil` once the task is cancelled or the service is closed. After an error, the next call runs the query again.
    let next: () async throws -> [Record]?
}
