/// The part of a program that stores records, and receives the events of a sync engine.
public protocol SyncEngineDelegate: AnyObject, Sendable {
    /// Handles an event.
    ///
    /// Events come one after the other. The engine waits until the method returns.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - syncEngine: The engine. Its state can be changed here. Only a task that the method starts and does not await can
    ///     send or fetch; that begins when the method has returned.
    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async

    /// Returns the next records to send, or `nil` if there are none.
    ///
    /// The engine asks again after each batch, until the method returns `nil` or nothing is pending.
    ///
    /// - Parameters:
    ///   - context: The send in progress, with the scope that chooses among the pending changes.
    ///   - syncEngine: The engine.
    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch?

    /// Returns what the next fetch fetches.
    ///
    /// The default is what the context says.
    ///
    /// - Parameters:
    ///   - context: The fetch that begins.
    ///   - syncEngine: The engine.
    func nextFetchChangesOptions(
        _ context: SyncEngine.FetchChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.FetchChangesOptions
}

extension SyncEngineDelegate {
    /// Returns what the context says.
    public func nextFetchChangesOptions(
        _ context: SyncEngine.FetchChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.FetchChangesOptions {
        context.options
    }
}
