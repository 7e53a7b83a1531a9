import Cabinet
import CabinetServer
import Foundation
import Synchronization

/// The people that are signed in, and the codes that sign one in, each once.
final class DashboardSessions: Sendable {
    /// A person that is signed in.
    struct Session: Sendable {
        /// The secret that every form repeats, so that no other site's form is accepted.
        let formToken: String
        /// The hidden field with the secret, which proves that a form is the dashboard's own.
        var proof: HTML { "<input type=\"hidden\" name=\"token\" value=\"\(formToken)\">" }
        fileprivate var end: ContinuousClock.Instant
    }

    private struct State {
        var codes: [(hash: Asset.Checksum, end: ContinuousClock.Instant)] = []
        var sessions: [Asset.Checksum: Session] = [:]
    }

    private let state = Mutex(State())

    /// The number of codes, and of sessions, that are kept; the oldest ends for a further one.
    private static let maximumCount = 64
    private static let lifeOfCode = Duration.seconds(15 * 60)
    private static let lifeOfSession = Duration.seconds(12 * 3_600)

    /// Returns a new secret of 256 bits.
    private static func secret() -> String { URLBase64.random(32) }

    /// The key of a secret, so that comparing it says nothing about the secret by its duration.
    private static func hash(_ secret: String) -> Asset.Checksum { Asset.Checksum(of: Data(secret.utf8)) }

    /// Returns a code that signs one person in, within fifteen minutes.
    func makeCode() -> String {
        let code = Self.secret()
        state.withLock { state in
            if state.codes.count == Self.maximumCount { state.codes.removeFirst() }
            state.codes.append((Self.hash(code), .now + Self.lifeOfCode))
        }
        return code
    }

    /// Uses a code up, and returns the secret of the new session; `nil` for an unknown code.
    func signIn(_ code: String) -> String? {
        let hash = Self.hash(code)
        let secret = Self.secret()
        let session = Session(formToken: Self.secret(), end: .now + Self.lifeOfSession)
        return state.withLock { state in
            state.codes.removeAll { $0.end < .now }
            guard let index = state.codes.firstIndex(where: { $0.hash == hash }) else { return nil }
            state.codes.remove(at: index)
            state.sessions = state.sessions.filter { $0.value.end > .now }
            if state.sessions.count == Self.maximumCount,
                let oldest = state.sessions.min(by: { $0.value.end < $1.value.end })
            {
                state.sessions[oldest.key] = nil
            }
            state.sessions[Self.hash(secret)] = session
            return secret
        }
    }

    /// The session of a secret, which the browser keeps in a cookie.
    func session(_ secret: String) -> Session? {
        state.withLock { state in
            guard let session = state.sessions[Self.hash(secret)], session.end > .now else { return nil }
            return session
        }
    }

    /// Ends a session.
    func signOut(_ secret: String) { state.withLock { $0.sessions[Self.hash(secret)] = nil } }
}
