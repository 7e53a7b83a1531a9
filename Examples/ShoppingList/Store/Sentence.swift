import Cabinet
import Foundation

/// The app's sentences, word for word as in the tutorial, which shares no lists.
enum Sentence: String {
    case noLists = "No Records Found"
    case noItems = "No Items Found"
    case listsNotFetched = "Error Fetching Records"
    case listNotSaved = "We were not able to save your list."
    case listNotDeleted = "We are unable to delete the list."
    case itemsNotFetched = "Error Fetching Items for List"
    case itemNotSaved = "We were not able to save your item."
    case itemNotDeleted = "We are unable to delete the item."
    case listNotShared = "We were not able to share your list."
    case listNotJoined = "We were not able to join the list."
    case listNotLeft = "We were not able to leave the list."
}

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
