import TerminalProgram

extension Command {
    static let showLists = Command(words: ["lists"], summary: "Show all lists") { call in
        try await call.withStore { store in
            let lists = try await store.lists()
            if lists.isEmpty { call.console.writeError(Sentence.noLists.rawValue) }
            call.show(lists: lists)
        }
    }

    static let addList = Command(words: ["lists", "add"], parameters: ["NAME"], summary: "Add a list") { call in
        let name = try call.name(0)
        try await call.withStore { store in
            call.show(lists: [try await store.addList(named: name)])
        }
    }

    static let renameList = Command(
        words: ["lists", "rename"], parameters: ["LIST", "NAME"], summary: "Give a list another name"
    ) { call in
        let name = try call.name(1)
        try await call.withStore { store in
            call.show(lists: [try await store.rename(list: call.list(in: store), to: name)])
        }
    }

    static let deleteList = Command(
        words: ["lists", "delete"], parameters: ["LIST"], summary: "Delete a list and its items"
    ) { call in
        try await call.withStore { store in
            let list = try await call.list(in: store)
            try await store.delete(list: list)
            call.show(lists: [list])
        }
    }
}
