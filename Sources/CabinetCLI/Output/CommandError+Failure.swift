import Cabinet
import Foundation
import TerminalProgram

extension CommandError {
    /// Returns the error for a failed request, with an exit code for scripts.
    init(describing error: any Error) {
        if let error = error as? CommandError {
            self = error
        } else if let error = error as? CabinetError {
            self.init(error.exitCode, error.shown)
        } else if error is CancellationError {
            self.init(.interrupted, "Stopped.")
        } else {
            self.init(.failure, (error as any Error).fileDescription)
        }
    }
}

extension CabinetError {
    /// The exit code for scripts; of a batch, the one that all failures have.
    fileprivate var exitCode: ExitCode {
        switch code {
        case .invalidArguments, .limitExceeded, .constraintViolation, .referenceViolation, .serverRejectedRequest:
            return .usage
        case .unknownItem, .zoneNotFound, .assetFileNotFound: return .notFound
        case .serverRecordChanged: return .conflict
        case .operationCancelled: return .interrupted
        case .partialFailure:
            let causes = partialErrorsByItemID.values.filter { $0.code != .batchRequestFailed }
            let codes = Set(causes.map(\.exitCode))
            return codes.count == 1 ? codes.first ?? .failure : .failure
        default: return .failure
        }
    }

    /// The message with the failures of single items, for a terminal.
    var shown: String {
        // The message of a batch repeats that of its only item.
        if partialErrorsByItemID.count == 1, let only = partialErrorsByItemID.values.first { return only.shown }
        let items = partialErrorsByItemID.sorted { $0.key.description < $1.key.description }
        let lines = items.prefix(5).map { "  \($0.key): \($0.value.errorDescription ?? "")" }
        let rest = items.count > 5 ? ["  and \(items.count - 5) more"] : []
        // A message of several lines points to a position in a text, so it keeps its lines.
        var text = message.contains("\n") ? message : errorDescription ?? "\(code)"
        if code == .zoneNotFound { text += "\nTo add a zone: cabinet zones add NAME" }
        return ([text] + lines + rest).joined(separator: "\n")
    }
}
