import Cabinet
import Foundation
import TerminalProgram

/// The tutorial's story, from the first start of the app to the day that it is opened again.
struct Demo {
    let location: StoreLocation
    let console: Console

    /// Plays the story, and narrates it.
    func play() async throws {
        var store = try ShoppingStore(location)
        console.write("THE SHOPPING LIST")

        narrate("The app starts. It fetches the user's record ID, the user's record, and all lists.")
        let user = try await store.fetchUserRecord()
        show("User: \(user.recordID.recordName)")
        guard try await store.lists().isEmpty else {
            throw CommandError.usage("The demo needs an empty store, but \(location) has lists.")
        }
        show(Sentence.noLists.rawValue)

        narrate("Two lists are added. Nothing was declared: the first save makes the record type 'Lists'.")
        let groceries = try await store.addList(named: "Groceries")
        let hardware = try await store.addList(named: "Hardware")
        try await showLists(in: store)

        narrate("Four items are added. Each refers to its list, with the delete rule 'deleteSelf'.")
        let milk = try await store.addItem(named: "Milk", number: nil, to: groceries)
        let bread = try await store.addItem(named: "bread", number: nil, to: groceries)
        _ = try await store.addItem(named: "Apples", number: nil, to: groceries)
        _ = try await store.addItem(named: "Nails", number: nil, to: hardware)
        try await showItems(of: [groceries, hardware], in: store)

        narrate("The data model grows: a new item has a 'number'. There is no migration; old items count as 1.")
        let eggs = try await store.addItem(named: "Eggs", number: 6, to: groceries)
        let steps: Double? = eggs.record["number"]
        show("Eggs: the label shows \(eggs.number), the stepper reads \(steps ?? 1).")
        show("Milk: it has no number, and the label shows \(milk.number).")
        try await showItems(of: [groceries, hardware], in: store)

        narrate("One item is renamed, the number of another one is changed. They stay on their list.")
        _ = try await store.change(item: bread, name: "Rye bread")
        _ = try await store.change(item: milk, number: 2)
        try await showItems(of: [groceries], in: store)

        narrate("'Hardware' is deleted, and its item goes with it.")
        show("Items before: \(try await store.numberOfItems())")
        try await store.delete(list: hardware)
        show("Items after:  \(try await store.numberOfItems())")

        narrate("The app is closed and started again. Everything is still there.")
        await store.close()
        store = try ShoppingStore(location)
        try await showItems(of: store.lists(), in: store)
        await store.close()
    }

    private func narrate(_ sentence: String) {
        console.write()
        console.write(sentence)
    }

    private func show(_ line: String) {
        console.write("    " + line)
    }

    private func showLists(in store: ShoppingStore) async throws {
        try await store.lists().forEach { show($0.title) }
    }

    private func showItems(of lists: [List], in store: ShoppingStore) async throws {
        for list in lists {
            show(list.title)
            let rows = try await store.items(of: list).map { [$0.title, "\($0.number)"] }
            rows.aligned().forEach { show("    " + $0) }
        }
    }
}
