import Foundation
import Synchronization

/// The users of tokens that were verified, for a time.
final class KnownTokens: Sendable {
    private struct Known {
        let authentication: Authentication
        let end: Date
    }

    private struct State {
        var tokens: [TokenHash: Known] = [:]
        var generation = 0
    }

    private let state = Mutex(State())

    /// The number of tokens that are remembered; a further one replaces all.
    private static let maximumCount = 10_000

    /// Changes with each call of ``forget()``.
    var generation: Int { state.withLock(\.generation) }

    /// Returns the user of a token that is remembered and not expired.
    func authentication(of hash: TokenHash, at now: Date) -> Authentication? {
        state.withLock { state in
            guard let known = state.tokens[hash], known.end > now else { return nil }
            return known.authentication
        }
    }

    /// Remembers a token, unless tokens were forgotten since a generation.
    func remember(_ authentication: Authentication, of hash: TokenHash, until end: Date, _ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.tokens.count >= Self.maximumCount { state.tokens = [:] }
            state.tokens[hash] = Known(authentication: authentication, end: end)
        }
    }

    /// Forgets all tokens, so that each is verified again.
    func forget() {
        state.withLock { state in
            state.tokens = [:]
            state.generation += 1
        }
    }
}
