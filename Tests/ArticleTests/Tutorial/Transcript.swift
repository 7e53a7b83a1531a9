import Synchronization

/// The output of a step of the tutorial.
final class Transcript: Sendable {
    private let text = Mutex<[String]>([])

    var lines: [String] { text.withLock(\.self) }

    func print(_ items: [Any]) {
        let line = items.map { "\($0)" }.joined(separator: " ")
        text.withLock { $0.append(line) }
    }
}
