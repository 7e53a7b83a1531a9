import Cabinet

/// A task for a second process that uses the same store.
struct HelperTask: LosslessStringConvertible {
    /// Performs a task in a second process, and returns what the process printed.
    typealias Run = @Sendable (_ task: String) async throws -> String

    /// The result of a task.
    enum Outcome: String {
        /// The records were saved.
        case saved
        /// The store cannot be opened while another process has it open.
        case refused
    }

    /// The prefix of the names of the records to save; letters alone.
    let prefix: String

    /// The number of records to save.
    ///
    /// The record `counter` is incremented once for each.
    let count: Int

    init(saving count: Int, prefix: String) {
        self.prefix = prefix
        self.count = count
    }

    init?(_ description: String) {
        let parts = description.split(separator: "-")
        guard parts.count == 2, let count = Int(parts[1]) else { return nil }
        self.init(saving: count, prefix: String(parts[0]))
    }

    var description: String { "\(prefix)-\(count)" }

    /// Opens a store, and performs the task on it.
    func perform(opening open: () async throws -> any StorageBackend) async throws -> Outcome {
        let backend: any StorageBackend
        do {
            backend = try await open()
        } catch CabinetError.Code.zoneBusy {
            return .refused
        }
        do {
            // A backend may open its store on first use.
            _ = try await backend.read(.public) { try await $0.schema() }
        } catch CabinetError.Code.zoneBusy {
            await backend.close()
            return .refused
        }
        let container = try Container(
            identifier: "com.example.conformance", backend: backend, account: ConformanceWorld.account)
        do {
            try await perform(in: container.privateDatabase)
        } catch {
            await backend.close()
            throw error
        }
        await backend.close()
        return .saved
    }

    /// Saves the records, each with a field of its own, and counts them.
    func perform(in database: Database) async throws {
        for number in 0..<count {
            try await database.save(Record("Items", "\(prefix)\(number)", ["\(prefix)\(number)": number]))
            try await database.addOne("counter")
        }
    }
}
