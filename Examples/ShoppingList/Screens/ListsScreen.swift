import Cabinet
import TerminalProgram

/// The first screen: the user's lists.
struct ListsScreen {
    private let store: ShoppingStore
    private let console: Console
    private var lists: [Record] = []
    /// Why there are no rows.
    private var status: String?
    /// What became of the last choice, if anything is to be said about it.
    private var notice: String?

    init(store: ShoppingStore, console: Console) {
        self.store = store
        self.console = console
    }

    /// Shows the lists until the person leaves.
    mutating func run() async throws(EndOfInput) {
        await fetchLists()
        while true {
            show()
            notice = nil
            switch Choice(try await console.ask(">"), rows: lists.count) {
            case .open(let row):
                var screen = ListScreen(list: lists[row], store: store, console: console)
                try await screen.run()
            case .add: try await edit(nil)
            case .edit(let row): try await edit(lists[row])
            case .delete(let row): try await delete(at: row)
            case .refresh: await fetchLists()
            case .leave: return
            case .unclear(let hint): notice = hint
            }
        }
    }

    private func show() {
        console.clear()
        console.write("Lists")
        console.write()
        let rows = lists.enumerated().map { ["\($0 + 1).", $1.title] }
        rows.aligned().forEach { console.write("  " + $0) }
        if let status { console.write(status) }
        if let notice { console.write(notice) }
        console.write()
        console.write((lists.isEmpty ? "" : "1 open   e 1 rename   d 1 delete   ") + "a add   r refresh   q quit")
    }

    private mutating func fetchLists() async {
        do {
            lists = try await console.showing("Fetching") {
                try await store.fetchUserRecord()
                return try await store.lists()
            }
            updateStatus()
        } catch {
            status = "\(error)"
        }
    }

    private mutating func edit(_ list: Record?) async throws(EndOfInput) {
        let editor = ListEditor(list: list, store: store, console: console)
        guard let saved = try await editor.run() else { return }
        lists.place(saved)
        updateStatus()
    }

    private mutating func delete(at row: Int) async throws(EndOfInput) {
        let list = lists[row]
        guard try await console.confirm("Delete \(list.title) and its items?") else { return }
        do {
            try await console.showing("Deleting") { try await store.delete(list: list) }
            lists.remove(at: row)
            updateStatus()
        } catch {
            notice = "\(error)"
        }
    }

    private mutating func updateStatus() {
        status = lists.isEmpty ? Sentence.noLists.rawValue : nil
    }
}
