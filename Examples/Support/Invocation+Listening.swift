package import CabinetListener
import CabinetServer
package import TerminalProgram

extension Option {
    /// The address of a program that shows its records in browsers.
    package static let listen = Option(
        name: "--listen", value: "ADDRESS",
        summary: "127.0.0.1:0 (default), [::1]:8080 or unix:PATH; port 0 takes a free one")
}

extension Invocation {
    /// The address of the option ``Option/listen``.
    package var listeningAddress: HTTPAddress {
        get throws {
            do {
                return try HTTPAddress(arguments.options[Option.listen.name] ?? "127.0.0.1:0")
            } catch let error as HTTPError {
                throw CommandError.usage(error.message)
            }
        }
    }
}
