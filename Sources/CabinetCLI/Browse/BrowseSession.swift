import Cabinet
import CabinetTools
import TerminalProgram

/// The browser on a terminal: it shows the model's pages, gives it keys, and carries out its requests.
@MainActor
final class BrowseSession {
    private var model: BrowseModel
    private let screen: FullScreen
    private let store: BrowseStore
    private var results: [(screen: Int, result: BrowseResult)] = []
    /// The requests in progress, by their numbers.
    private var tasks: [Int: (effect: BrowseModel.Effect, task: Task<Void, Never>)] = [:]
    /// The requests in progress that were made again since they began.
    private var repeated: Set<Int> = []
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
            cancelRequests { !model.isOpen($0) }
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
            if effect.request == .cancelEarlier {
                cancelRequests { $0 == effect.screen }
            } else if let running = tasks.first(where: { $0.value.effect == effect }) {
                // A long request is not made again with each change of the store before it has an answer.
                repeated.insert(running.key)
            } else {
                start(effect)
            }
        }
    }

    private func start(_ effect: BrowseModel.Effect) {
        lastTask += 1
        let number = lastTask
        let task = Task.detached { [store, weak self] in
            await store.perform(effect.request) { [weak self] in await self?.deliver($0, of: number) }
            await self?.finish(number)
        }
        tasks[number] = (effect, task)
    }

    /// Cancels the requests of some screens, whose results are no longer of use.
    private func cancelRequests(where isOf: (Int) -> Bool) {
        for (number, entry) in tasks where isOf(entry.effect.screen) {
            entry.task.cancel()
            tasks[number] = nil
            repeated.remove(number)
        }
    }

    private func deliver(_ result: BrowseResult, of number: Int) {
        guard let screenID = tasks[number]?.effect.screen else { return }
        results.append((screenID, result))
        screen.reportChange()
    }

    private func finish(_ number: Int) {
        guard let entry = tasks.removeValue(forKey: number) else { return }
        if repeated.remove(number) != nil { start(entry.effect) }
    }
}
