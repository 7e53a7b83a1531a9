/// The deletions of rows: one that waits for the next key, and those whose rows are still among the others.
struct RowDeletions {
    var waiting: (id: AnyHashable, title: String, work: @MainActor () async throws -> Void)?
    var hidden: Set<AnyHashable> = []
    /// The reason that the last deletion failed; `nil` after the next key.
    var failure: String?
}

extension FullScreen {
    /// Hides a row, and deletes it before the next key is handled, unless that is `u`.
    ///
    /// - Parameters:
    ///   - id: The row's ID.
    ///   - title: The row's name for the message.
    ///   - work: Deletes the row. If it throws, the row and the error are shown.
    package func delete(
        _ id: some Hashable & Sendable, named title: String, work: @escaping @MainActor () async throws -> Void
    ) {
        deletions.waiting = (id, title, work)
        deletions.hidden.insert(id)
    }

    /// Returns the rows without those that are deleted.
    package func remaining<Row: Identifiable>(_ rows: [Row]) -> [Row] {
        if deletions.hidden.isEmpty { return rows }
        let ids = Set(rows.map(\.id))
        deletions.hidden = deletions.hidden.filter { id in
            (id.base as? Row.ID).map { id == deletions.waiting?.id || ids.contains($0) } ?? true
        }
        return rows.filter { !deletions.hidden.contains($0.id) }
    }

    /// Performs the deletion that waits for a key, or takes it back.
    ///
    /// - Parameter key: The key; `nil` if there are no more.
    /// - Returns: Whether it was taken back, so that the key has no other effect.
    func endDeletion(with key: Key?) async -> Bool {
        deletions.failure = nil
        guard let (id, _, work) = deletions.waiting else { return false }
        deletions.waiting = nil
        if key == .character("u") {
            deletions.hidden.remove(id)
            return true
        }
        do {
            try await showing("Deleting") { _ in try await work() }
        } catch {
            deletions.hidden.remove(id)
            deletions.failure = "\(error)"
        }
        return false
    }

    /// Adds the state of the deletion to a page.
    func withDeletion(_ page: Page) -> Page {
        var page = page
        if let title = deletions.waiting?.title {
            page.message = page.message ?? "\(title) will be deleted with the next key."
            page.keys = [("u", "undo")] + page.keys
        } else if let failure = deletions.failure {
            page.message = failure
        }
        return page
    }
}
