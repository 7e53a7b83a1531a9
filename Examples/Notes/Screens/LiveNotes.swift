import Cabinet
import TerminalProgram

/// The notes that this device knows, which follow the changes of other devices.
@MainActor
final class LiveNotes {
    private(set) var notes: [Note] = []

    /// The reason that the notes may be out of date.
    private(set) var failure: String?

    /// Whether the first changes have been fetched.
    private(set) var isLoaded = false

    private let store: NotesStore
    private let screen: FullScreen
    private var watcher: Task<Void, Never>?

    /// Starts to watch the notes.
    init(store: NotesStore, screen: FullScreen) {
        self.store = store
        self.screen = screen
        restart()
    }

    deinit { watcher?.cancel() }

    /// The current state of a note; `nil` if it was deleted.
    subscript(id: RecordID) -> Note? { notes.first { $0.id == id } }

    /// Whether a note was deleted while it was on the screen.
    func isDeleted(_ id: RecordID) -> Bool { isLoaded && failure == nil && self[id] == nil }

    /// Shows the stored notes, and fetches the latest changes.
    func restart() {
        watcher?.cancel()
        failure = nil
        let show: @Sendable ([Note]) async -> Void = { [weak self] in await self?.show($0) }
        watcher = Task { [store, weak self] in
            do {
                await self?.refresh()
                try await store.watch(show: show)
            } catch {
                self?.fail(error)
            }
        }
    }

    /// Shows the stored notes after it has saved or deleted a note.
    func refresh() async {
        notes = await store.notes
        screen.reportChange()
    }

    private func show(_ new: [Note]) {
        (notes, isLoaded) = (new, true)
        screen.reportChange()
    }

    private func fail(_ error: any Error) {
        if Task.isCancelled { return }
        failure = "\(error)"
        screen.reportChange()
    }
}
