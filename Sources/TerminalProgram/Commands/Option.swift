/// An option, such as `--number N`.
package struct Option: Sendable {
    package let name: String

    /// The name of its value in the help; `nil` if it has none.
    let value: String?

    let summary: String

    /// Describes an option.
    package init(name: String, value: String? = nil, summary: String) {
        self.name = name
        self.value = value
        self.summary = summary
    }

    /// The option with its value, as it is typed.
    var usage: String { value.map { "\(name) \($0)" } ?? name }
}

/// The options that every program has.
extension Option {
    static let store = "--store"
    static let mirrorName = "--mirror"
    static let plain = "--plain"
    static let help = "--help"
    static let version = "--version"

    /// The option of a program whose store can mirror a server.
    package static let mirror = Option(
        name: mirrorName, value: "URL",
        summary: "Keep the store up to date with this server, and work without a network too")

    /// The options that do not change a command's effect; the help lists them once.
    static let common = [
        Option(name: plain, summary: "Write text alone: no full screen, no styles"),
        Option(name: version, summary: "Print the program's version"),
        Option(name: help, summary: "Show this help, or the help of a command"),
    ]
}
