import Cabinet
import Foundation

/// The failure for display: the app's sentence, then the reason.
struct ShoppingError: Error, CustomStringConvertible {
    let sentence: Sentence
    let reason: any Error

    var description: String { "\(sentence.rawValue)\n\(reason.localizedDescription)" }

    /// The field that another terminal has changed too, if that is the reason.
    var conflict: FieldChangedTwice? { reason as? FieldChangedTwice }

    /// Whether another terminal has deleted the record, or the list that it belongs to.
    var isDeletion: Bool {
        let code = (reason as? CabinetError)?.code
        return code == .unknownItem || code == .referenceViolation
    }
}

/// Runs a closure, and puts a sentence before the reason if it throws.
@discardableResult
func saying<Success>(_ sentence: Sentence, _ work: () async throws -> Success) async throws(ShoppingError) -> Success {
    do {
        return try await work()
    } catch {
        throw ShoppingError(sentence: sentence, reason: error)
    }
}
