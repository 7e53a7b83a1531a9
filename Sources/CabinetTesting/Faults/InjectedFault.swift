public import Cabinet
public import Foundation

/// A fault in a call of a ``FaultInjectingBackend``.
public enum InjectedFault: Sendable, Hashable {
    /// The call fails without reaching the store.
    ///
    /// - Parameters:
    ///   - code: The error's code.
    ///   - retryAfter: The number of seconds after which the error recommends a retry, as a busy or overloaded store
    ///     does.
    case failure(_ code: CabinetError.Code, retryAfter: TimeInterval? = nil)

    /// The call is delayed, and then performed.
    case delay(Duration)

    /// The connection is lost before the commit: the store runs the call, rolls a write back, and the caller receives
    /// an error.
    ///
    /// - Parameter code: The code of the error. A client that knows that the commit was never sent reports
    ///   `networkFailure`; a client that cannot know reports `serverResponseLost`.
    case connectionLostBeforeCommit(reportedAs: CabinetError.Code = .networkFailure)

    /// The connection is lost after the commit: the write is committed, and the caller receives an error.
    ///
    /// - Parameter code: The code of the error.
    case connectionLostAfterCommit(reportedAs: CabinetError.Code = .serverResponseLost)
}

extension InjectedFault: CustomStringConvertible {
    /// A description of the fault: `zoneBusy, retry after 2.0 seconds`.
    public var description: String {
        switch self {
        case .failure(let code, nil): "\(code)"
        case .failure(let code, let seconds?): "\(code), retry after \(seconds) seconds"
        case .delay(let duration): "delay of \(duration)"
        case .connectionLostBeforeCommit(let code): "connection lost before the commit, \(code)"
        case .connectionLostAfterCommit(let code): "connection lost after the commit, \(code)"
        }
    }
}

extension InjectedFault {
    /// The error that a call throws with this fault; `nil` if it throws none.
    func error(of call: String) -> CabinetError? {
        switch self {
        case .delay: nil
        case .failure(let code, let seconds):
            CabinetError(code, "The \(call) fails because a test injected a fault.", retryAfterSeconds: seconds)
        case .connectionLostBeforeCommit(let code):
            CabinetError(code, "The connection was lost during the \(call), because a test injected a fault.")
        case .connectionLostAfterCommit(let code):
            CabinetError(
                code, "The connection was lost before the \(call) was answered, because a test injected a fault.")
        }
    }
}
