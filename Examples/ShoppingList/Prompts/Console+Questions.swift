import ExampleSupport
import Foundation
import TerminalProgram

extension Console {
    /// Asks for a name until it is not blank.
    ///
    /// - Parameter current: The name that an empty line keeps, if there is one.
    /// - Returns: The name, or `nil` if the person cancelled.
    func askName(current: Name?) async throws(EndOfInput) -> Name? {
        let hint = current.map { "Name [\($0.text.printable)], or . to cancel:" } ?? "Name, or . to cancel:"
        while true {
            let typed = try await ask(hint)
            if typed == "." { return nil }
            if typed.isEmpty, let current { return current }
            if let name = Name(typed) { return name }
            write(Name.blank)
        }
    }

    /// Asks for a number, step by step, until the person accepts it.
    ///
    /// - Returns: The number, or `nil` if the person cancelled.
    func askNumber(current: Int) async throws(EndOfInput) -> Int? {
        var number = current
        while true {
            let typed = try await ask("Number \(number): + or - or a number, Enter to save, . to cancel:")
            if typed == "." { return nil }
            if typed.isEmpty { return number }
            // Several signs are several steps.
            let isStep = typed.allSatisfy { $0 == "+" } || typed.allSatisfy { $0 == "-" }
            let step = typed.first == "+" ? typed.count : -typed.count
            do throws(ItemNumber.Invalid) {
                number = try (isStep ? ItemNumber(number, adding: step) : ItemNumber(typed)).value
            } catch {
                write("\(error)")
            }
        }
    }

    /// Shows the two values of a field that both sides have changed, and asks which one to keep.
    ///
    /// - Returns: `nil` if the person goes back to the questions.
    func choose(_ error: FieldChangedTwice) async throws(EndOfInput) -> Preference? {
        write(error.localizedDescription)
        return try await choosePreference()
    }
}
