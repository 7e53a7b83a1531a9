package import Foundation

/// The failures that pass, and the waits after them, for everything that repeats requests by itself: sync engines and mirrors.
package enum RetryRule {
    /// The longest wait after a failure, in seconds.
    package static let longestWait: TimeInterval = 300

    /// Returns the wait after a failure for which the server has no wish: 1, 2, 4 seconds and so on.
    ///
    /// - Parameter failures: The number of failures without a success in between, this one included.
    package static func wait(failures: Int) -> TimeInterval {
        min(longestWait, pow(2, Double(min(failures, 16) - 1)))
    }

    /// Whether the same request may succeed later, without a change of the program or its user.
    package static func isTemporary(_ code: CabinetError.Code) -> Bool {
        switch code {
        case .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .zoneBusy,
            .serverResponseLost, .accountTemporarilyUnavailable, .notAuthenticated, .operationCancelled:
            true
        default: false
        }
    }
}
