import Cabinet
import CabinetWire
import Foundation
import Synchronization

/// The open streams of signals of a server.
final class SignalStreams: Sendable {
    private struct State {
        var streams: [UUID: Entry] = [:]
        var counts: [String: Int] = [:]
        var isEnding = false
        var ticker: Task<Void, Never>?
    }

    private struct Entry {
        weak var stream: EventStream?
        let owner: String
        /// Returns whether the client's credentials are still valid.
        let isValid: @Sendable () async -> Bool
    }

    private let interval: Duration
    private let form: EventForm
    private let state = Mutex(State())

    init(interval: Duration, _ form: EventForm = EventForm()) {
        (self.interval, self.form) = (interval, form)
    }

    deinit {
        state.withLock { $0.ticker }?.cancel()
    }

    /// The number of open streams.
    var count: Int { state.withLock { $0.streams.count } }

    /// Whether the server ends.
    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - signals: The signals of a service.
    ///   - owner: The user or address that the stream counts for.
    ///   - limit: The maximum number of streams of the owner.
    ///   - isValid: Returns whether the client's credentials are still valid; asked at each interval.
    /// - Throws: ``/Cabinet/CabinetError/Code/requestRateLimited`` if the owner has too many, and
    ///   ``/Cabinet/CabinetError/Code/serviceUnavailable`` if the server ends.
    func open(
        _ signals: AsyncStream<Void>, of owner: String, limit: Int, isValid: @escaping @Sendable () async -> Bool
    ) throws -> EventStream {
        let id = UUID()
        let stream = EventStream(signals, form) { [weak self] in self?.remove(id) }
        try state.withLock { state throws(CabinetError) in
            if state.isEnding {
                throw CabinetError(.serviceUnavailable, "The server ends. Try again.", retryAfterSeconds: 1)
            }
            guard state.counts[owner, default: 0] < limit else {
                throw CabinetError(
                    .requestRateLimited, "The user has \(limit) streams already. Close one first.",
                    retryAfterSeconds: 10)
            }
            state.counts[owner, default: 0] += 1
            state.streams[id] = Entry(stream: stream, owner: owner, isValid: isValid)
            if state.ticker == nil { state.ticker = makeTicker() }
        }
        return stream
    }

    /// Ends all streams, and refuses further ones.
    func end() {
        let streams = state.withLock { state in
            state.isEnding = true
            return state.streams.values.compactMap(\.stream)
        }
        for stream in streams { stream.interrupt() }
    }

    private func remove(_ id: UUID) {
        state.withLock { state in
            guard let owner = state.streams.removeValue(forKey: id)?.owner else { return }
            let count = state.counts[owner, default: 1] - 1
            state.counts[owner] = count > 0 ? count : nil
        }
    }

    private func makeTicker() -> Task<Void, Never> {
        Task { [weak self, interval] in
            while (try? await Task.sleep(for: interval)) != nil {
                guard let entries = self?.state.withLock({ Array($0.streams.values) }) else { return }
                for entry in entries {
                    guard let stream = entry.stream else { continue }
                    if await entry.isValid() { stream.idle() } else { stream.interrupt() }
                }
            }
        }
    }
}

/// The bytes and pauses of a stream of signals.
struct EventForm: Sendable {
    var signal = SignalStream.signal
    var end = SignalStream.end
    /// The least time between two signals.
    var pause = Duration.zero
}

/// The bytes of one stream of signals, as its client takes them.
///
/// Signals that a slow client has not taken are joined, so the stream keeps a few flags. No task waits for its bytes: ten thousand of them
/// would need 20 MB.
final class EventStream: Sendable {
    private struct State {
        var hasSignal = false
        var isIdle = false
        /// The last bytes of the stream; empty if the connection alone ends.
        var ending: [UInt8]?
        /// Is called when there are bytes.
        var wake: (@Sendable () -> Void)?
        var pump: Task<Void, Never>?
    }

    private let form: EventForm
    private let state = Mutex(State())
    private let onEnd: @Sendable () -> Void

    init(_ signals: AsyncStream<Void>, _ form: EventForm, onEnd: @escaping @Sendable () -> Void) {
        (self.form, self.onEnd) = (form, onEnd)
        let pump = Task { [weak self] in
            for await _ in signals {
                self?.change { $0.hasSignal = true }
                if form.pause > .zero { try? await Task.sleep(for: form.pause) }
            }
            self?.change { $0.ending = $0.ending ?? form.end }
        }
        state.withLock { $0.pump = pump }
    }

    deinit {
        state.withLock { $0.pump }?.cancel()
        onEnd()
    }

    /// Sends a comment.
    func idle() { change { $0.isIdle = true } }

    /// Ends the stream as a broken connection would, so that the client connects again.
    func interrupt() { change { $0.ending = $0.ending ?? [] } }

    private func change(_ body: (inout State) -> Void) {
        let wake = state.withLock { state in
            body(&state)
            return state.wake.take()
        }
        wake?()
    }

    /// Returns the next bytes: none if there are none yet, `nil` at the end.
    ///
    /// - Parameter wake: Is called once when there are, if there are none yet.
    func poll(_ wake: @escaping @Sendable () -> Void) -> Data? {
        state.withLock { state in
            defer { (state.hasSignal, state.isIdle) = (false, false) }
            if state.hasSignal { return Data(form.signal) }
            if let ending = state.ending {
                state.ending = []
                return ending.isEmpty ? nil : Data(ending)
            }
            if state.isIdle { return Data(SignalStream.idle) }
            state.wake = wake
            return Data()
        }
    }
}
