import Cabinet
import TerminalProgram

/// The records of a query, which follow the changes of other terminals.
@MainActor
final class LiveRecords<Fields: NamedFields> {
    private(set) var records: [Typed<Fields>] = []

    /// The reason that the records may be out of date.
    private(set) var failure: ShoppingError?

    /// Whether the records have arrived.
    private(set) var isLoaded = false

    private let query: Query
    private let sentence: Sentence
    private let store: ShoppingStore
    private let screen: FullScreen
    private var watcher: Task<Void, Never>?

    /// Starts to watch a query.
    ///
    /// - Parameter sentence: The sentence to show if that fails.
    init(_ query: Query, sentence: Sentence, store: ShoppingStore, screen: FullScreen) {
        self.query = query
        self.sentence = sentence
        self.store = store
        self.screen = screen
        restart()
    }

    deinit { watcher?.cancel() }

    /// The current state of a record; `nil` if it was deleted.
    subscript(id: Typed<Fields>.ID) -> Typed<Fields>? { records.first { $0.id == id } }

    /// Whether a record was deleted while it was on the screen.
    func isDeleted(_ id: Typed<Fields>.ID) -> Bool { isLoaded && failure == nil && self[id] == nil }

    /// Runs the query again.
    func restart() {
        watcher?.cancel()
        failure = nil
        watcher = Task { [query, store, weak self] in
            do {
                try await store.watch(query) { self?.show($0) }
            } catch {
                self?.fail(error)
            }
        }
    }

    private func show(_ new: [Typed<Fields>]) {
        (records, isLoaded) = (new, true)
        screen.reportChange()
    }

    private func fail(_ error: any Error) {
        if Task.isCancelled { return }
        failure = ShoppingError(sentence: sentence, reason: error)
        screen.reportChange()
    }
}
