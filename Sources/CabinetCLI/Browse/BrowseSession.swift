import Cabinet
import TerminalProgram

/// The browser on a terminal: it shows the model's pages, gives it keys, and carries out its requests.
@MainActor
final class BrowseSession {
    private var model: BrowseModel
    private let screen: FullScreen
    private let store: BrowseStore
    private var results: [(screen: Int, result: BrowseResult)] = []
    /// The requests in progress, with the screens that made them.
    private var tasks: [Int: (screen: Int, task: Task<Void, Never>)] = [:]
    private var lastTask = 0
    private var hasChanged = false

    init(_ store: BrowseStore, title: String, on screen: FullScreen) {
        self.store = store
        self.screen = screen
        model = BrowseModel(store: title)
    }

    /// Shows the browser until the person leaves.
    func run(signals: AsyncStream<Void>) async throws(EndOfInput) {
        let watcher = Task { [weak self] in
            for await _ in signals {
                self?.reportChange()
                // Another program may change the store all the time; reading it again twice a second is enough.
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
        defer {
            watcher.cancel()
            for task in tasks.values { task.task.cancel() }
        }
        perform(model.open(TypesScreen()))
        while !model.isFinished {
            screen.draw(model.page(in: screen.size))
            switch try await screen.next() {
            case .key(let key): perform(model.handle(key))
            case .resized:
                // The rows that the new size shows are known once the page was drawn.
                screen.draw(model.page(in: screen.size))
                perform(model.refresh())
            case .changed: takeResults()
            }
            for (number, entry) in tasks where !model.isOpen(entry.screen) {
                entry.task.cancel()
                tasks[number] = nil
            }
        }
    }

    private func reportChange() {
        hasChanged = true
        screen.reportChange()
    }

    private func takeResults() {
        let new = results
        results = []
        for (id, result) in new { perform(model.take(result, of: id)) }
        if hasChanged {
            hasChanged = false
            perform(model.refresh())
        }
    }

    private func perform(_ effects: [BrowseModel.Effect]) {
        for effect in effects {
            lastTask += 1
            let number = lastTask
            let task = Task.detached { [store, weak self] in
                await store.perform(effect.request) { [weak self] in await self?.deliver($0, to: effect.screen) }
                await self?.finish(number)
            }
            tasks[number] = (effect.screen, task)
        }
    }

    private func deliver(_ result: BrowseResult, to id: Int) {
        results.append((id, result))
        screen.reportChange()
    }

    private func finish(_ number: Int) {
        tasks[number] = nil
    }
}
