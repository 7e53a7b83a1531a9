import Cabinet
import TerminalProgram

/// The screen of one list: its items.
@MainActor
struct ItemsScreen {
    private var list: List
    private let lists: LiveRecords<Lists>
    private let items: LiveRecords<Items>
    private let store: ShoppingStore
    private let screen: FullScreen
    private var rows = RowList<Item.ID>()
    private var search = RowSearch()
    /// The result of the last key, if there is one to show.
    private var message: String?

    init(list: List, lists: LiveRecords<Lists>, store: ShoppingStore, screen: FullScreen) throws {
        self.list = list
        self.lists = lists
        self.store = store
        self.screen = screen
        items = LiveRecords(
            store.itemsQuery(of: list), in: { [store.database(with: list.id.recordID)] }, sentence: .itemsNotFetched,
            store: store, screen: screen)
    }

    /// Shows the items until the person goes back.
    ///
    /// - Returns: A message for the screen below, or `nil`.
    mutating func run() async throws(EndOfInput) -> String? {
        screen.draw(Page(title: list.title, body: [], message: "Fetching…", messageStyle: .dim, keys: []))
        while true {
            // The form may have received the event of the deletion.
            if lists.isDeleted(list.id) { return "'\(list.title)' was deleted elsewhere." }
            if items.isLoaded || items.failure != nil { show() }
            let event = try await screen.next()
            list = lists[list.id] ?? list
            guard case .key(let key) = event else { continue }
            message = nil
            if search.handle(key) || rows.handle(key) { continue }
            switch key {
            case .enter, .character("e"): if let item = selected { try await edit(item) }
            case .character("a"): try await edit(nil)
            case .character("d"), .delete: delete()
            case .character("+"), .character("="): await step(by: 1)
            case .character("-"): await step(by: -1)
            case .character("r"): items.restart()
            case .character("q"), .escape, .left: return nil
            default: break
            }
        }
    }

    private var selected: Item? { rows.selection.flatMap { items[$0] } }

    private mutating func show() {
        let shown = rows.show(items.records, on: screen, search: search)
        let visible = shown.map { [$0.title, "\($0.number)"] }
        var page = Page(
            title: list.title, status: rows.status,
            body: screen.body(visible, of: rows, empty: items.isLoaded ? .noItems : nil),
            message: items.failure?.description ?? message,
            keys: (visible.isEmpty ? [] : [("Enter", "edit"), ("+ -", "number"), ("d", "delete")])
                + [("a", "add"), ("/", "search"), ("Esc", "back")])
        search.show(on: &page, in: screen.size)
        screen.draw(page)
    }

    private mutating func edit(_ item: Item?) async throws(EndOfInput) {
        var form = ItemForm(item: item, items: items, list: list, lists: lists, store: store, screen: screen)
        let ending = try await form.run()
        message = ending.message
        if case .saved(let saved) = ending { rows.selectLater(saved.id) }
    }

    private mutating func step(by difference: Int) async {
        guard let item = selected else { return }
        do {
            try await store.step(item: item, by: difference)
        } catch {
            message = (error.reason as? ItemNumber.Invalid)?.description ?? "\(error)"
        }
    }

    private mutating func delete() {
        guard let item = selected else { return }
        rows.selectLater(item.id)
        screen.delete(item.id, named: item.title) { [store] in try await store.delete(item: item) }
    }
}
