import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

/// The progress of an export or import: one changing line on a terminal, otherwise a line from time to time.
struct TransferMeter {
    private let activity: String
    private let console: Console
    let start = ContinuousClock.now
    private var lastShown: ContinuousClock.Instant?
    private(set) var count = 0
    /// The completed part of the work, from 0 to 1; `nil` if it is unknown.
    var fraction: Double?

    init(_ activity: String, _ console: Console) {
        self.activity = activity
        self.console = console
    }

    /// Shows the rate and the remaining time if enough time has passed, and other events at once.
    mutating func show(_ event: TransferEvent) {
        switch event {
        case .progress(let total, let fraction):
            self.fraction = fraction
            let line = line(after: total - count, at: .now, isTerminal: console.isTerminal)
            if let line { console.writeProgress(line) }
        case .notice(let text), .loss(let text):
            console.endProgress()
            console.writeError(text.printable)
        }
    }

    /// Counts records.
    ///
    /// - Returns: The line to show; `nil` if the last one was shown a moment ago.
    mutating func line(after records: Int, at now: ContinuousClock.Instant, isTerminal: Bool) -> String? {
        count += records
        let pause: Duration = isTerminal ? .milliseconds(200) : .seconds(10)
        if let lastShown, now - lastShown < pause { return nil }
        // The first line of a short transfer would only repeat the last one.
        if lastShown == nil, !isTerminal, now - start < pause { return nil }
        lastShown = now
        return line(at: now)
    }

    /// Shows the result.
    ///
    /// - Parameter amongErrors: Whether the output has the transferred lines, so that the result does not belong there.
    func finish(_ result: String, amongErrors: Bool = false) {
        console.endProgress()
        let seconds = (ContinuousClock.now - start).seconds
        let rate = Int(Double(count) / max(seconds, 0.001))
        let time = seconds.formatted(.number.precision(.fractionLength(1)))
        let line = "\(result): \(count.counted("record")) in \(time) s (\(rate)/s)."
        if amongErrors { console.writeError(line) } else { console.write(line) }
    }

    private func line(at now: ContinuousClock.Instant) -> String {
        let seconds = max((now - start).seconds, 0.001)
        var parts = ["\(activity)… \(count.counted("record"))", "\(Int(Double(count) / seconds))/s"]
        if let fraction, fraction > 0 {
            parts.insert("\(Int(fraction * 100)) %", at: 0)
            parts.append("\(Int(seconds / fraction - seconds)) s left")
        }
        return parts.joined(separator: ", ")
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
