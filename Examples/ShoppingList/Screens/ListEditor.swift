import Cabinet
import TerminalProgram

/// The screen that adds a list, or renames the one that it was handed.
struct ListEditor {
    let list: Record?
    let store: ShoppingStore
    let console: Console

    /// Shows the screen until the list is saved.
    ///
    /// - Returns: What became of the list, or `nil` if the person cancelled.
    func run() async throws(EndOfInput) -> Saved? {
        var name = list?.name.flatMap(Name.init)
        console.clear()
        console.write(list == nil ? "New list" : "Rename list")
        while true {
            guard let typed = try await console.askName(current: name) else { return nil }
            name = typed
            do {
                return try await console.showing("Saving") { try await save(named: typed.text) }
            } catch {
                console.write("\(error)")
            }
        }
    }

    private func save(named name: String) async throws(ShoppingError) -> Saved {
        guard let list else { return .added(try await store.addList(named: name)) }
        return .updated(try await store.rename(list: list, to: name))
    }
}
