import Cabinet

extension ShoppingSite {
    /// The changes of what a page shows: of all lists, and of the items on one of them.
    ///
    /// The stream ends if the store cannot be watched. The browser then begins another one.
    func changes(of list: List?) -> AsyncStream<Void> {
        AsyncStream { changes in
            let watching = Task { [store] in
                await withTaskGroup(of: Void.self) { group in
                    for database in (try? await store.databases()) ?? [] {
                        group.addTask {
                            try? await store.watch(store.allLists, in: database) { (_: [List]) in changes.yield() }
                        }
                    }
                    if let list {
                        let database = store.database(with: list.id.recordID)
                        group.addTask {
                            try? await store.watch(store.itemsQuery(of: list), in: database) { (_: [Item]) in
                                changes.yield()
                            }
                        }
                    }
                    await group.next()
                    group.cancelAll()
                }
                changes.finish()
            }
            changes.onTermination = { _ in watching.cancel() }
        }
    }
}
