extension Console {
    /// Shows what is going on while it goes on; on a terminal only.
    func showing<Success>(_ activity: String, while work: () async throws -> Success) async rethrows -> Success {
        guard isTerminal else { return try await work() }
        write(raw: "\(activity)…")
        let spinner = Task { await spin(activity) }
        do {
            let success = try await work()
            await remove(spinner)
            return success
        } catch {
            await remove(spinner)
            throw error
        }
    }

    private func spin(_ activity: String) async {
        while true {
            for frame in ["|", "/", "-", "\\"] {
                guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { return }
                write(raw: "\r\(activity)… \(frame)")
            }
        }
    }

    private func remove(_ spinner: Task<Void, Never>) async {
        spinner.cancel()
        await spinner.value
        write(raw: "\r\u{1B}[K")
    }
}
