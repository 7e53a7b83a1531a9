import TerminalProgram

extension Program {
    static let shoppingList = Program(
        name: "shopping-list", content: "the lists",
        summary: "Keeps shopping lists. Without a command, it shows its screens.",
        commands: [
            .interactive,
            .showLists, .addList, .renameList, .deleteList,
            .shareList, .showUsers, .joinList, .leaveList, .showUser,
            .showItems, .watchItems, .addItem, .renameItem, .numberItem, .deleteItem,
            .serve, .demo,
        ],
        options: [.mirror],
        notes: """
            LIST and ITEM are names, or record names if several have the same name.
            Commands print the rows that they find, save or delete. To a file or a pipe, tabs separate the columns:
            name and record name of a list; name, number and record name of an item. A shared list has a name and a URL,
            and a user a record name, rights and a state. Arguments after -- are not options.
            Without a network, --mirror shows the user's own lists, and leaves out those of other users.
            """,
        exitCodes: [
            (.success, "done"),
            (.failure, "the store or a file failed; the error says why"),
            (.usage, "wrong arguments, a blank name among them; nothing was saved"),
            (.notFound, "the list or item does not exist"),
            (.ambiguous, "several lists or items have that name; the error lists their record names"),
        ])
}
