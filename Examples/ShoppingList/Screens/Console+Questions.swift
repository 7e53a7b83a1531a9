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
            write("A name cannot be blank.")
        }
    }

    /// Asks for a number, step by step, until the person is content with it.
    ///
    /// - Returns: Whether it is to be saved; `false` if the person cancelled.
    func ask(_ stepper: inout Stepper) async throws(EndOfInput) -> Bool {
        while true {
            let typed = try await ask("Number \(stepper.number): + or - or a number, Enter to save, . to cancel:")
            switch typed {
            case ".": return false
            case "": return true
            default: if !stepper.change(typed) { write("That is no number.") }
            }
        }
    }
}
