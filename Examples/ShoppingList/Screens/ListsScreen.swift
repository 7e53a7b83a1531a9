import Cabinet
import Foundation
import TerminalProgram

/// The first screen: the user's lists.
@MainActor
struct ListsScreen {
    private let store: ShoppingStore
    private let screen: FullScreen
    private let lists: LiveRecords<Lists>
    private var rows = RowList<List.ID>()
    private var search = RowSearch()
    /// The result of the last key, if there is one to show.
    private var message: String?

    init(store: ShoppingStore, screen: FullScreen) throws {
        self.store = store
        self.screen = screen
        lists = LiveRecords(
            store.allLists, in: store.databases, sentence: .listsNotFetched, store: store, screen: screen)
    }

    /// Shows the lists until the person leaves.
    mutating func run() async throws(EndOfInput) {
        await fetchUser()
        while true {
            show()
            guard case .key(let key) = try await screen.next() else { continue }
            message = nil
            if search.handle(key) || rows.handle(key) { continue }
            switch key {
            case .enter, .right: try await open()
            case .character("a"): try await edit(nil)
            case .character("e"): if let list = selected { try await edit(list) }
            case .character("d"), .delete: try await delete()
            case .character("r"): lists.restart()
            case .character("q"): return
            default: break
            }
        }
    }

    private var selected: List? { rows.selection.flatMap { lists[$0] } }

    private mutating func show() {
        let visible = rows.show(lists.records, on: screen, search: search).map { [$0.title] }
        var page = Page(
            title: "Lists", status: rows.status,
            body: screen.body(visible, of: rows, empty: lists.isLoaded ? .noLists : nil),
            message: lists.failure?.description ?? message,
            keys: (visible.isEmpty ? [] : [("Enter", "open"), ("e", "rename"), ("d", "delete")])
                + [("a", "add"), ("/", "search"), ("q", "quit")])
        search.show(on: &page, in: screen.size)
        screen.draw(page)
    }

    private mutating func fetchUser() async {
        do {
            _ = try await screen.showing("Fetching") { _ throws(ShoppingError) in try await store.fetchUserRecord() }
        } catch {
            message = "\(error)"
        }
    }

    private mutating func open() async throws(EndOfInput) {
        guard let list = selected else { return }
        do {
            var items = try ItemsScreen(list: list, lists: lists, store: store, screen: screen)
            message = try await items.run()
        } catch let error as EndOfInput {
            throw error
        } catch {
            message = error.localizedDescription
        }
    }

    private mutating func edit(_ list: List?) async throws(EndOfInput) {
        var form = ListForm(list: list, lists: lists, store: store, screen: screen)
        let ending = try await form.run()
        message = ending.message
        if case .saved(let saved) = ending { rows.selectLater(saved.id) }
    }

    private mutating func delete() async throws(EndOfInput) {
        guard let list = selected, try await screen.confirm("Delete \(list.title) and its items?") else { return }
        rows.selectLater(list.id)
        screen.delete(list.id, named: "\(list.title) and its items") { [store] in try await store.delete(list: list) }
    }
}
