import CabinetTools
import TerminalProgram

/// The state of the browser: the open screens with the shown one at the end, a question and a message.
///
/// It is a value without a store or a terminal: keys and results go in, requests and a page come out.
struct BrowseModel: Sendable {
    private var screens: [(id: Int, screen: any BrowseScreen)] = []
    private var lastID = 0
    private(set) var prompt: BrowsePrompt?
    private(set) var message: String?
    private let store: String

    /// A request of a screen.
    struct Effect: Sendable, Equatable {
        let screen: Int
        let request: BrowseRequest
    }

    /// Creates a browser without screens.
    ///
    /// - Parameter store: The store and the database, for the title.
    init(store: String) {
        self.store = store
    }

    /// Whether the person has closed the last screen.
    var isFinished: Bool { screens.isEmpty }

    /// Whether a screen is open, so that its requests are still of use.
    func isOpen(_ id: Int) -> Bool { screens.contains { $0.id == id } }

    mutating func open(_ screen: any BrowseScreen) -> [Effect] {
        lastID += 1
        screens.append((lastID, screen))
        return refresh()
    }

    /// Loads the shown screen again.
    mutating func refresh() -> [Effect] {
        withLast { $0.load() }
    }

    mutating func handle(_ key: Key) -> [Effect] {
        message = nil
        guard prompt == nil else { return answer(key) }
        return withLast { $0.handle(key) }
    }

    /// Gives the result of a request to its screen, unless that was closed.
    mutating func take(_ result: BrowseResult, of id: Int) -> [Effect] {
        guard let index = screens.firstIndex(where: { $0.id == id }) else { return [] }
        let steps = screens[index].screen.take(result)
        return perform(steps, of: id)
    }

    private mutating func answer(_ key: Key) -> [Effect] {
        guard var asked = prompt else { return [] }
        if var field = asked.field {
            switch key {
            case .escape: prompt = nil
            case .enter: return answer(field.text, to: asked)
            default:
                _ = field.handle(key)
                asked.field = field
                prompt = asked
            }
            return []
        }
        prompt = nil
        return key == .character("y") || key == .character("Y") ? answer("y", to: asked) : []
    }

    /// A refused answer leaves the question open, so that the text can be corrected.
    private mutating func answer(_ text: String, to asked: BrowsePrompt) -> [Effect] {
        guard var last = screens.last else { return [] }
        do {
            prompt = nil
            let steps = try last.screen.answer(text, to: asked.purpose)
            screens[screens.count - 1] = last
            return perform(steps, of: last.id)
        } catch {
            (prompt, message) = (asked, "\(error)")
            return []
        }
    }

    private mutating func withLast(_ work: (inout any BrowseScreen) -> [BrowseStep]) -> [Effect] {
        guard let id = screens.last?.id else { return [] }
        let steps = work(&screens[screens.count - 1].screen)
        return perform(steps, of: id)
    }

    private mutating func perform(_ steps: [BrowseStep], of id: Int) -> [Effect] {
        var effects: [Effect] = []
        for step in steps {
            switch step {
            case .request(let request): effects.append(Effect(screen: id, request: request))
            case .open(let screen): effects += open(screen)
            case .close:
                screens.removeAll { $0.id == id }
                effects += refresh()
            case .ask(let question): prompt = question
            case .show(let text): message = text
            }
        }
        return effects
    }

    /// The page that shows the state.
    mutating func page(in size: TerminalSize) -> Page {
        guard let last = screens.indices.last else { return Page(title: store, body: [], keys: []) }
        let height = Page.bodyHeight(in: size)
        // The shown screen's title is the last one, and the others leave it room.
        let path = screens.map(\.screen.title).suffix(3).enumerated().map { index, title in
            index == min(screens.count, 3) - 1 ? title : title.truncated(toColumns: 20)
        }.joined(separator: " › ")
        var page = Page(
            title: screens.count > 1 ? path : "\(path) of \(store)", status: screens[last].screen.status,
            body: screens[last].screen.body(rows: height, columns: size.columns), message: message,
            keys: screens[last].screen.keys)
        if let prompt {
            if let field = prompt.field {
                page.ask(prompt.label, field, in: size)
            } else {
                page.confirm(prompt.label, in: size)
            }
        }
        return page
    }
}
