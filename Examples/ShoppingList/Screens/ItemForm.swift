import Cabinet
import ExampleSupport
import TerminalProgram

/// The screen that adds an item to a list, or changes the given one.
@MainActor
struct ItemForm {
    let item: Item?
    let items: LiveRecords<Items>
    let list: List
    let lists: LiveRecords<Lists>
    let store: ShoppingStore
    let screen: FullScreen
    private var form: Form
    private var decisions: Decisions = [:]
    /// The reason that the last save failed.
    private var failure: String?

    init(
        item: Item?, items: LiveRecords<Items>, list: List, lists: LiveRecords<Lists>, store: ShoppingStore,
        screen: FullScreen
    ) {
        self.item = item
        self.items = items
        self.list = list
        self.lists = lists
        (self.store, self.screen) = (store, screen)
        form = Form([
            .line("Name", item?.name ?? "", hint: "the name of the item"),
            .line("Number", "\(item?.number ?? 1)", hint: "the number to buy"),
        ])
    }

    /// Shows the screen until the item is saved, or the person cancels.
    mutating func run() async throws(EndOfInput) -> FormEnding<Items> {
        while true {
            show()
            let event = try await screen.next()
            if let deleted { return .deleted(deleted) }
            guard case .key(let key) = event else { continue }
            failure = nil
            if step(key) { continue }
            switch form.handle(key) {
            case .cancel: return .cancelled
            case .save: if let ending = try await save() { return ending }
            case .editing: break
            }
        }
    }

    /// The title of the list or the item, if another terminal has deleted it.
    private var deleted: String? {
        if lists.isDeleted(list.id) { return list.title }
        return item.flatMap { items.isDeleted($0.id) ? $0.title : nil }
    }

    /// Changes the number by one if the key is one that does so.
    private mutating func step(_ key: Key) -> Bool {
        guard form.focusedField == 1, key == .character("+") || key == .character("-") else { return false }
        guard let number = try? ItemNumber(form.texts[1]).value else { return true }
        do {
            form.setText("\(try ItemNumber("\(number + (key == .character("+") ? 1 : -1))").value)", of: 1)
        } catch {
            failure = "\(error)"
        }
        return true
    }

    /// The item as it was typed, or an error that describes its fault.
    private var typed: Result<(name: Name, number: ItemNumber), InvalidItem> {
        guard let name = Name(form.texts[0]) else { return .failure(InvalidItem(description: Name.blank)) }
        do {
            return .success((name, try ItemNumber(form.texts[1])))
        } catch {
            return .failure(InvalidItem(description: "\(error)"))
        }
    }

    private struct InvalidItem: Error, CustomStringConvertible {
        let description: String
    }

    private mutating func show() {
        let part = form.lines(rows: screen.bodyHeight, columns: screen.size.columns)
        var problem: String?
        if case .failure(let error) = typed { problem = "\(error)" }
        screen.draw(
            Page(
                title: item == nil ? "New item" : "Edit item", status: list.title, body: part.lines,
                message: failure ?? problem ?? changeElsewhere,
                keys: [("Enter", "save"), ("Tab", "next field"), ("+ -", "number"), ("Esc", "cancel")],
                cursor: part.cursor))
    }

    /// Another terminal's change of the item during the editing.
    private var changeElsewhere: String? {
        guard let item, let newest = items[item.id], newest != item else { return nil }
        return "Changed elsewhere to: \(newest.title), \(newest.number)."
    }

    private mutating func save() async throws(EndOfInput) -> FormEnding<Items>? {
        guard case .success(let typed) = typed else { return nil }
        let (name, number) = (typed.name.text, typed.number.value)
        do {
            return .saved(
                try await screen.showing("Saving") { [decisions] _ throws(ShoppingError) in
                    guard let item else { return try await store.addItem(named: name, number: number, to: list) }
                    return try await store.change(
                        item: item, name: name, number: number, resolvingConflictsWith: .following(decisions))
                })
        } catch {
            if error.isDeletion { return .deleted(item?.title ?? list.title) }
            guard let conflict = error.conflict else {
                failure = "\(error)"
                return nil
            }
            show()
            guard let preference = try await screen.choose(conflict) else { return nil }
            decisions[conflict.conflict] = preference
            return try await save()
        }
    }
}
