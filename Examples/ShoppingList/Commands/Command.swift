import Foundation

/// Something that the program can be told to do from a shell.
struct Command: Sendable {
    /// The words that call it, such as `lists add`.
    let words: [String]

    /// What follows the words: `LIST`, or `[NAME]` if it may be missing.
    var parameters: [String] = []

    /// The options of this command alone.
    var options: [Option] = []

    /// What it does, in one sentence.
    let summary: String

    /// What else is worth knowing.
    var details = ""

    /// Does it.
    let run: @Sendable (Invocation) async throws -> Void

    /// All commands, in the order of the help.
    static let all = [
        interactive,
        showLists, addList, renameList, deleteList,
        showItems, addItem, renameItem, numberItem, deleteItem,
        demo,
    ]
}

/// An option with a value, such as `--number N`.
struct Option: Sendable {
    let name: String
    let value: String
    let summary: String

    /// The option of every command.
    static let store = Option(
        name: "--store", value: "DIR",
        summary: "Keep the lists in this folder (default: \(StoreFolder.default.path.abbreviatingHome))")
}
