import Cabinet
import TerminalProgram

/// The screen of one list, for terminals and pipes that know only lines: its items.
struct ItemsPrompt {
    private let list: List
    private let store: ShoppingStore
    private let console: Console
    private var rows: Rows<Items>

    init(list: List, store: ShoppingStore, console: Console) throws {
        self.list = list
        self.store = store
        self.console = console
        rows = Rows(
            store.itemsQuery(of: list), in: { [store.database(with: list.id.recordID)] }, failing: .itemsNotFetched,
            console: console)
    }

    /// Shows the items until the person goes back.
    mutating func run() async throws(EndOfInput) {
        while true {
            await rows.fetch()
            rows.show(title: list.title, empty: .noItems, keys: ["1 edit", "d 1 delete"], last: "q back") {
                [$0.title, "\($0.number)"]
            }
            switch try await rows.choose() {
            case .open(let row), .edit(let row): try await edit(rows.records[row])
            case .add: try await edit(nil)
            case .delete(let row):
                let item = rows.records[row]
                rows.delete(item, named: item.title) { [store] in try await store.delete(item: item) }
            case .leave: return
            case let other: rows.handle(other)
            }
        }
    }

    private mutating func edit(_ item: Item?) async throws(EndOfInput) {
        var name = (item?.name).flatMap(Name.init)
        var number = item?.number ?? 1
        let questions = Questions(title: item == nil ? "New item" : "Edit item", console: console)
        let answer = try await questions.run { () async throws(EndOfInput) in
            guard let typedName = try await console.askName(current: name) else { return false }
            name = typedName
            guard let typedNumber = try await console.askNumber(current: number) else { return false }
            number = typedNumber
            return true
        } save: { decisions async throws(ShoppingError) in
            let text = name?.text ?? ""
            guard let item else { return try await store.addItem(named: text, number: number, to: list) }
            return try await store.change(
                item: item, name: text, number: number, resolvingConflictsWith: .following(decisions))
        }
        rows.take(answer, of: item)
    }
}
