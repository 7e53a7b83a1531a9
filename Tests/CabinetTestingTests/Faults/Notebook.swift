import Cabinet

// snippet: notebook
/// Keeps notes, also when the store is busy, or an answer is lost.
struct Notebook {
    let database: Database

    /// Saves a note; a few times, if need be.
    func save(_ note: Record) async throws -> Record {
        for _ in 0..<3 {
            do {
                return try await database.save(note)
            } catch let error as CabinetError
                where error.retryAfterSeconds != nil
            {
                try await Task.sleep(
                    for: .seconds(error.retryAfterSeconds ?? 0))
            } catch CabinetError.Code.serverResponseLost {
                // The save may have been committed.
                if let saved = try await saved(note) { return saved }
            }
        }
        return try await database.save(note)
    }

    /// Returns the stored record if it equals the note.
    private func saved(_ note: Record) async throws -> Record? {
        guard
            let result = try await database.records(for: [note.recordID])[
                note.recordID]
        else { return nil }
        let record = try? result.get()
        return record?["text"] == note["text"] as String? ? record : nil
    }
}
// end
