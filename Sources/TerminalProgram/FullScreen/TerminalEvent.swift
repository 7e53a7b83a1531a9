/// An event that a full-screen program handles.
package enum TerminalEvent: Sendable {
    case key(Key)
    /// The terminal has another size, or its content was lost.
    case resized
    /// The content of the screen has changed elsewhere.
    case changed
}
