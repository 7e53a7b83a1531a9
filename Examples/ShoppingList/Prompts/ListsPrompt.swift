import Cabinet
import TerminalProgram

/// The first screen, for terminals and pipes that know only lines: the user's lists.
struct ListsPrompt {
    private let store: ShoppingStore
    private let console: Console
    private var rows: Rows<Lists>

    init(store: ShoppingStore, console: Console) throws {
        self.store = store
        self.console = console
        rows = Rows(store.allLists, in: store.databases, failing: .listsNotFetched, console: console)
    }

    /// Shows the lists until the person leaves.
    mutating func run() async throws {
        // If this fails, so does fetching the lists, and the screen shows the reason.
        _ = try? await store.fetchUserRecord()
        while true {
            await rows.fetch()
            rows.show(
                title: "Lists", empty: .noLists, keys: ["1 open", "e 1 rename", "d 1 delete"], last: "q quit"
            ) { [$0.title] }
            switch try await rows.choose() {
            case .open(let row):
                var items = try ItemsPrompt(list: rows.records[row], store: store, console: console)
                try await items.run()
            case .add: try await edit(nil)
            case .edit(let row): try await edit(rows.records[row])
            case .delete(let row):
                let list = rows.records[row]
                let title = "\(list.title) and its items"
                if try await console.confirm("Delete \(title)?") {
                    rows.delete(list, named: title) { [store] in try await store.delete(list: list) }
                }
            case .leave: return
            case let other: rows.handle(other)
            }
        }
    }

    private mutating func edit(_ list: List?) async throws(EndOfInput) {
        var name = (list?.name).flatMap(Name.init)
        let questions = Questions(title: list == nil ? "New list" : "Rename list", console: console)
        let answer = try await questions.run { () async throws(EndOfInput) in
            guard let typed = try await console.askName(current: name) else { return false }
            name = typed
            return true
        } save: { decisions async throws(ShoppingError) in
            let text = name?.text ?? ""
            guard let list else { return try await store.addList(named: text) }
            return try await store.rename(list: list, to: text, resolvingConflictsWith: .following(decisions))
        }
        rows.take(answer, of: list)
    }
}
