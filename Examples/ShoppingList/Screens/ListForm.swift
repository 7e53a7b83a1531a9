import Cabinet
import ExampleSupport
import TerminalProgram

/// The screen that adds a list, or renames the given one.
@MainActor
struct ListForm {
    private let list: List?
    private let lists: LiveRecords<Lists>
    private let store: ShoppingStore
    private let screen: FullScreen
    private var form: Form
    private var decisions: Decisions = [:]
    /// The reason that the last save failed.
    private var failure: String?

    init(list: List?, lists: LiveRecords<Lists>, store: ShoppingStore, screen: FullScreen) {
        self.list = list
        self.lists = lists
        self.store = store
        self.screen = screen
        form = Form([.line("Name", list?.name ?? "", hint: "the name of the list")])
    }

    /// Shows the screen until the list is saved, or the person cancels.
    mutating func run() async throws(EndOfInput) -> FormEnding<Lists> {
        while true {
            show()
            let event = try await screen.next()
            if let list, lists.isDeleted(list.id) { return .deleted(list.title) }
            guard case .key(let key) = event else { continue }
            failure = nil
            switch form.handle(key) {
            case .cancel: return .cancelled
            case .save: if let ending = try await save() { return ending }
            case .editing: break
            }
        }
    }

    private mutating func show() {
        let part = form.lines(rows: screen.bodyHeight, columns: screen.size.columns)
        screen.draw(
            Page(
                title: list == nil ? "New list" : "Rename list", body: part.lines,
                message: failure ?? (Name(form.texts[0]) == nil ? Name.blank : nil),
                keys: [("Enter", "save"), ("Esc", "cancel")], cursor: part.cursor))
    }

    private mutating func save() async throws(EndOfInput) -> FormEnding<Lists>? {
        guard let name = Name(form.texts[0]) else { return nil }
        do {
            return .saved(
                try await screen.showing("Saving") { [decisions] _ throws(ShoppingError) in
                    guard let list else { return try await store.addList(named: name.text) }
                    return try await store.rename(
                        list: list, to: name.text, resolvingConflictsWith: .following(decisions))
                })
        } catch {
            if error.isDeletion { return .deleted(list?.title ?? "") }
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
