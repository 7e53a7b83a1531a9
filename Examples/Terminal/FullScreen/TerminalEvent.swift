/// Something that a full-screen program reacts to.
package enum TerminalEvent: Sendable {
    case key(Key)
    /// The terminal has another size, or its content was lost.
    case resized
    /// What the screen shows has changed elsewhere.
    case changed
}
