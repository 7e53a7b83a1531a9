import Cabinet
import TerminalProgram

extension Command {
    static let showItems = Command(
        words: ["items"], parameters: ["LIST"], summary: "Show the items of a list"
    ) { call in
        try await call.withStore { store in
            let items = try await store.items(of: call.list(in: store))
            if items.isEmpty { call.console.writeError(Sentence.noItems.rawValue) }
            call.show(items: items)
        }
    }

    static let watchItems = Command(
        words: ["items", "watch"], parameters: ["LIST"],
        summary: "Show the items of a list, and again whenever they change",
        details: "It shows the changes of all terminals and machines. Ctrl-C ends it."
    ) { call in
        try await call.withStore { store in
            let list = try await call.list(in: store)
            if try await watch(list, of: store, on: call.console) { return }
            try await saying(.itemsNotFetched) {
                let database = store.database(with: list.id.recordID)
                try await store.watch(store.itemsQuery(of: list), in: database) { (items: [Item]) in
                    call.console.clear()
                    if items.isEmpty { call.console.writeError(Sentence.noItems.rawValue) }
                    call.show(items: items)
                }
            }
        }
    }

    /// Shows the screen of a list, if the terminal can.
    @MainActor
    private static func watch(_ list: List, of store: ShoppingStore, on console: Console) async throws -> Bool {
        var message: String?
        let isShown = try await FullScreen.use(on: console) { screen in
            let lists = LiveRecords<Lists>(
                store.allLists, in: store.databases, sentence: .listsNotFetched, store: store, screen: screen)
            var items = try ItemsScreen(list: list, lists: lists, store: store, screen: screen)
            message = try await items.run()
        }
        if let message { console.writeError(message) }
        return isShown
    }

    static let renameItem = Command(
        words: ["items", "rename"], parameters: ["LIST", "ITEM", "NAME"], summary: "Give an item another name"
    ) { call in
        let name = try call.name(2)
        try await call.withStore { store in
            call.show(items: [try await store.change(item: call.item(in: store), name: name)])
        }
    }

    static let numberItem = Command(
        words: ["items", "number"], parameters: ["LIST", "ITEM", "N"], summary: "Set the number of an item to buy"
    ) { call in
        let number = try number(from: call.parameter(2))
        try await call.withStore { store in
            call.show(items: [try await store.change(item: call.item(in: store), number: number)])
        }
    }

    static let deleteItem = Command(
        words: ["items", "delete"], parameters: ["LIST", "ITEM"], summary: "Delete an item"
    ) { call in
        try await call.withStore { store in
            let item = try await call.item(in: store)
            try await store.delete(item: item)
            call.show(items: [item])
        }
    }

    /// Reads the number of an item to buy.
    static func number(from text: String) throws(CommandError) -> Int {
        do {
            return try ItemNumber(text).value
        } catch {
            throw .usage("\(error)")
        }
    }
}
