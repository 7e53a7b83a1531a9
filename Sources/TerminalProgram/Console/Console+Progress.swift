extension Console {
    /// Shows an activity while it runs, on a terminal only.
    package func showing<Success, Failure: Error>(
        _ activity: String, while work: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        try await showing(activity) { _ throws(Failure) in try await work() }
    }

    /// Shows an activity and its reported progress while it runs, on a terminal only.
    package func showing<Success, Failure: Error>(
        _ activity: String, while work: (ActivityProgress) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        guard isTerminal else { return try await work(ActivityProgress { _ in }) }
        let progress = ActivityProgress { show(activity, $0) }
        write(progress: "\(activity)…")
        let spinner = Task { await spin(activity, progress) }
        do {
            let success = try await work(progress)
            await remove(spinner)
            return success
        } catch {
            await remove(spinner)
            throw error
        }
    }

    /// Shows the progress of a long activity: on a line that changes, or where that is impossible, on a line of the errors.
    package func writeProgress(_ line: String) {
        if canReplaceLines { write(progress: line) } else { writeError(line) }
    }

    /// Removes the line that shows progress.
    package func endProgress() {
        write(progress: "")
    }

    private func spin(_ activity: String, _ progress: ActivityProgress) async {
        while true {
            for frame in ["|", "/", "-", "\\"] {
                guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { return }
                show(activity, progress.percentage ?? frame)
            }
        }
    }

    private func show(_ activity: String, _ state: String) {
        write(progress: "\(activity)… \(state)")
    }

    private func remove(_ spinner: Task<Void, Never>) async {
        spinner.cancel()
        await spinner.value
        write(progress: "")
    }
}
