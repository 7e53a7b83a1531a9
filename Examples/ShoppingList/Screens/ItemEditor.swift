import Cabinet
import TerminalProgram

/// The screen that adds an item to a list, or changes the one that it was handed.
struct ItemEditor {
    let item: Record?
    let list: Record
    let store: ShoppingStore
    let console: Console

    /// Shows the screen until the item is saved.
    ///
    /// - Returns: What became of the item, or `nil` if the person cancelled.
    func run() async throws(EndOfInput) -> Saved? {
        var name = item?.name.flatMap(Name.init)
        var stepper = Stepper(value: item?["number"])
        console.clear()
        console.write(item == nil ? "New item" : "Edit item")
        while true {
            guard let typed = try await console.askName(current: name) else { return nil }
            name = typed
            guard try await console.ask(&stepper) else { return nil }
            do {
                return try await console.showing("Saving") { try await save(named: typed.text, number: stepper.number) }
            } catch {
                console.write("\(error)")
            }
        }
    }

    private func save(named name: String, number: Int) async throws(ShoppingError) -> Saved {
        guard let item else { return .added(try await store.addItem(named: name, number: number, to: list)) }
        return .updated(try await store.change(item: item, name: name, number: number))
    }
}
