public import Cabinet
public import Foundation

/// What happens to a call of a ``FaultInjectingBackend``.
public enum InjectedFault: Sendable, Hashable {
    /// The call fails, and the store is not asked.
    ///
    /// - Parameters:
    ///   - code: The error's code.
    ///   - retryAfter: After how many seconds the error says to try again, as a busy or overloaded store does.
    case failure(_ code: CabinetError.Code, retryAfter: TimeInterval? = nil)

    /// The call begins later, and is carried out then.
    case delay(Duration)

    /// The connection is lost before the commit: the store is asked, a write is undone, and nobody gets an answer.
    ///
    /// - Parameter code: The code of the error that says so. A client that knows that the commit was never sent reports
    ///   `networkFailure`; one that cannot know reports `serverResponseLost`.
    case connectionLostBeforeCommit(reportedAs: CabinetError.Code = .networkFailure)

    /// The connection is lost after the commit: what was written is there, and nobody gets an answer.
    ///
    /// - Parameter code: The code of the error that says so.
    case connectionLostAfterCommit(reportedAs: CabinetError.Code = .serverResponseLost)
}

extension InjectedFault: CustomStringConvertible {
    /// The fault in words: `zoneBusy, retry after 2.0 seconds`.
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
            CabinetError(code, "The \(call) fails because its test wants it to.", retryAfterSeconds: seconds)
        case .connectionLostBeforeCommit(let code):
            CabinetError(code, "The connection was lost during the \(call), because its test wants it so.")
        case .connectionLostAfterCommit(let code):
            CabinetError(
                code, "The connection was lost before the \(call) was answered, because its test wants it so.")
        }
    }
}
