import Cabinet
import Foundation

/// The failure for display: the app's sentence, then the reason.
struct NotesError: Error, CustomStringConvertible {
    let sentence: Sentence
    let reason: any Error

    var description: String { "\(sentence.rawValue)\n\(reason.localizedDescription)" }

    /// The field that another device has changed too, if that is the reason.
    var conflict: FieldChangedTwice? { reason as? FieldChangedTwice }

    /// Whether another device has deleted the note.
    var isDeletion: Bool { (reason as? CabinetError)?.code == .unknownItem }
}

/// Runs a closure, and puts a sentence before the reason if it throws.
func saying<Success>(
    _ sentence: Sentence, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Success
) async throws(NotesError) -> Success {
    do {
        return try await work()
    } catch {
        throw NotesError(sentence: sentence, reason: error)
    }
}
