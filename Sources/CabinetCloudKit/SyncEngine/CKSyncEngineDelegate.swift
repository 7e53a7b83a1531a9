/// The part of a program that stores records, and receives the events of a sync engine.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Handles an event.
    ///
    /// The method cannot wait for a send or a fetch of the engine. A task that it starts and does not await can; that begins when
    /// the method has returned.
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

    /// Returns the next records to send, or `nil` if there are none.
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?

    /// Returns what the next fetch fetches. The default is what the context says.
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
    /// Returns what the context says.
    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        context.options
    }
}
