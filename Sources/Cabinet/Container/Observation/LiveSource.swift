/// A kind of live query: what it reads, and how it follows changes.
protocol LiveSource: Sendable {
    /// The result in a form that changes are merged into.
    associatedtype State: LiveState

    /// The form of a result that an observer receives.
    associatedtype Element: Sendable

    /// The database of the query.
    var scope: DatabaseScope { get }

    /// Runs the query.
    ///
    /// - Parameters:
    ///   - client: The client to send requests with.
    ///   - old: The last result, which no longer holds; `nil` at first.
    /// - Returns: The result, and the form that changes are merged into; `nil` if they cannot be.
    func load(from client: ServiceClient, after old: State?) async throws -> (value: State.Value, state: State?)

    /// Returns a request for the changes since a state of the database.
    func changes(since basis: LiveBasis) -> FetchLiveChangesRequest

    /// Reads what a result lacks after changes were merged into it.
    ///
    /// - Returns: The complete result; `nil` if the query must run again.
    func completed(_ state: State, from client: ServiceClient) async throws -> State?

    /// Returns what the observer receives.
    func element(of value: State.Value, _ state: State?, from client: ServiceClient) async throws -> Element
}

/// A result that the changes of the database are merged into.
protocol LiveState: Sendable {
    /// The result, as observers compare it.
    associatedtype Value: Equatable, Sendable

    /// The result; after a merge, if it has changed, only once it is completed.
    var value: Value { get }

    /// The state of the database that the result reflects.
    var basis: LiveBasis { get }

    /// Merges the changes of the database into the result.
    ///
    /// Changes that the result already includes, wholly or in part, have no effect.
    ///
    /// - Throws: The errors of evaluating the filter; the result is then unusable.
    mutating func merge(_ changes: FetchLiveChangesRequest.Response) throws -> MergeOutcome
}

/// The effect of merging changes into the result of a live query.
enum MergeOutcome {
    /// The result is the same as before.
    case unchanged

    /// The result has changed.
    case changed

    /// The new result does not follow from the changes: the query must run again.
    case stale
}
