import Cabinet

// snippet: notebook
/// Stores notes, even if the store is busy, or a result is lost.
struct Notebook {
    let database: Database

    /// Saves a note, with a few retries.
    func save(_ note: Record) async throws -> Record {
        for _ in 0..<3 {
            do {
                return try await database.save(note)
            } catch let error as CabinetError where error.retryAfterSeconds != nil {
                try await Task.sleep(for: .seconds(error.retryAfterSeconds ?? 0))
            } catch CabinetError.Code.serverResponseLost {
                // The note may have been saved. Then a retry would conflict with the program's own save.
                if let saved = try await saved(note) { return saved }
            }
        }
        return try await database.save(note)
    }

    /// The stored record, if it is the one that was saved.
    private func saved(_ note: Record) async throws -> Record? {
        guard let result = try await database.records(for: [note.recordID])[note.recordID] else { return nil }
        let record = try? result.get()
        return record?["text"] == note["text"] as String? ? record : nil
    }
}
// end
