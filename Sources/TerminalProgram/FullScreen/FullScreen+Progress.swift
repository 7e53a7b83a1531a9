extension FullScreen {
    /// Shows an activity and its progress instead of the message while it runs.
    package func showing<Success, Failure: Error>(
        _ activity: String, while work: (ActivityProgress) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        activities += 1
        let number = activities
        // A report that arrives after the end of its work must not be drawn over a later message.
        defer { activities += 1 }
        draw(message: "\(activity)…", style: .dim)
        let progress = ActivityProgress { [weak self] state in
            Task { @MainActor in
                guard let self, self.activities == number else { return }
                self.draw(message: "\(activity)… \(state)", style: .dim)
            }
        }
        return try await work(progress)
    }
}
