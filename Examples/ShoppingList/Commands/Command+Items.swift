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
        details: "Whoever changes them, on whatever machine. Ctrl-C ends it."
    ) { call in
        try await call.withStore { store in
            let list = try await call.list(in: store)
            try await store.watchItems(of: list) { items in
                call.console.clear()
                if items.isEmpty { call.console.writeError(Sentence.noItems.rawValue) }
                call.show(items: items)
            }
        }
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
        words: ["items", "number"], parameters: ["LIST", "ITEM", "N"], summary: "Set how many of an item to buy"
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

    /// Reads how many of an item to buy.
    static func number(from text: String) throws(CommandError) -> Int {
        guard let number = Int(text), Stepper.range.contains(number) else {
            let range = "\(Stepper.range.lowerBound) to \(Stepper.range.upperBound)"
            throw .usage("'\(text)' is no number of items: it must be a whole number from \(range).")
        }
        return number
    }
}
