extension FullScreen {
    /// Shows what is going on in place of the message while it goes on, and how far it is as soon as the work says so.
    package func showing<Success, Failure: Error>(
        _ activity: String, while work: (ActivityProgress) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        activities += 1
        let number = activities
        // A report that arrives after the end of its work must not be drawn over what is shown by then.
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
