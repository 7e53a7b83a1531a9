import Cabinet
import TerminalProgram

/// The screen of one list: its items.
struct ListScreen {
    private let list: Record
    private let store: ShoppingStore
    private let console: Console
    private var items: [Record] = []
    /// Why there are no rows.
    private var status: String?
    /// What became of the last choice, if anything is to be said about it.
    private var notice: String?

    init(list: Record, store: ShoppingStore, console: Console) {
        self.list = list
        self.store = store
        self.console = console
    }

    /// Shows the items until the person goes back.
    mutating func run() async throws(EndOfInput) {
        await fetchItems()
        while true {
            show()
            notice = nil
            switch Choice(try await console.ask(">"), rows: items.count) {
            case .open(let row), .edit(let row): try await edit(items[row])
            case .add: try await edit(nil)
            case .delete(let row): try await delete(at: row)
            case .refresh: await fetchItems()
            case .leave: return
            case .unclear(let hint): notice = hint
            }
        }
    }

    private func show() {
        console.clear()
        console.write(list.title)
        console.write()
        let rows = items.enumerated().map { ["\($0 + 1).", $1.title, "\($1.number)"] }
        rows.aligned().forEach { console.write("  " + $0) }
        if let status { console.write(status) }
        if let notice { console.write(notice) }
        console.write()
        console.write((items.isEmpty ? "" : "1 edit   d 1 delete   ") + "a add   r refresh   q back")
    }

    private mutating func fetchItems() async {
        do {
            items = try await console.showing("Fetching") { try await store.items(of: list) }
            updateStatus()
        } catch {
            status = "\(error)"
        }
    }

    private mutating func edit(_ item: Record?) async throws(EndOfInput) {
        let editor = ItemEditor(item: item, list: list, store: store, console: console)
        guard let saved = try await editor.run() else { return }
        items.place(saved)
        updateStatus()
    }

    private mutating func delete(at row: Int) async throws(EndOfInput) {
        let item = items[row]
        guard try await console.confirm("Delete \(item.title)?") else { return }
        do {
            try await console.showing("Deleting") { try await store.delete(item: item) }
            items.remove(at: row)
            updateStatus()
        } catch {
            notice = "\(error)"
        }
    }

    private mutating func updateStatus() {
        status = items.isEmpty ? Sentence.noItems.rawValue : nil
    }
}
