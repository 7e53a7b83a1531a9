import Cabinet
import ExampleSupport
import TerminalProgram

extension Invocation {
    /// A parameter that becomes a name.
    func name(_ index: Int) throws(CommandError) -> String {
        guard let name = Name(try parameter(index)) else { throw .usage("A name cannot be blank.") }
        return name.text
    }

    /// Runs a closure with the store, after fetching the user's record, and closes the store.
    ///
    /// - Parameter syncs: Whether a mirror fetches and sends while the closure runs; otherwise before and after it.
    func withStore(syncs: Bool = false, _ work: (ShoppingStore) async throws -> Void) async throws {
        let store = try ShoppingStore(self.store, mirroring: mirroredServer, syncs: syncs)
        do {
            if !syncs { _ = await store.container.exchange() }
            try await store.fetchUserRecord()
            try await work(store)
            if !syncs, let text = await store.container.exchange() { console.writeError(text) }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// The list that the first parameter names.
    func list(in store: ShoppingStore) async throws -> List {
        try await store.lists().one(called: try parameter(0), kind: "list")
    }

    /// The item that the second parameter names, in the list that the first one names.
    func item(in store: ShoppingStore) async throws -> Item {
        try await store.items(of: list(in: store)).one(called: try parameter(1), kind: "item")
    }

    /// Prints lists.
    func show(lists: [List]) {
        console.write(rows: lists.map { [$0.title, $0.id.recordID.recordName] })
    }

    /// Prints items.
    func show(items: [Item]) {
        console.write(rows: items.map { [$0.title, "\($0.number)", $0.id.recordID.recordName] })
    }
}

extension Array {
    /// The one record with a name, or with a record name.
    fileprivate func one<Fields: NamedFields>(
        called text: String, kind: String
    ) throws(CommandError) -> Element where Element == Typed<Fields> {
        let matches = filter { $0.name == text || $0.id.recordID.recordName == text }
        guard let match = matches.first else {
            throw CommandError(.notFound, "There is no \(kind) '\(text)'.")
        }
        guard matches.count == 1 else {
            let recordNames = matches.map { "\n  \($0.id.recordID.recordName)" }.joined()
            throw CommandError(
                .ambiguous,
                "Several have the name '\(text)'. Name the \(kind) by its record name:\(recordNames)")
        }
        return match
    }
}
