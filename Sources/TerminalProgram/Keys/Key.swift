/// A key that was pressed, or text that was pasted.
package enum Key: Sendable, Hashable {
    case character(Character)
    /// A letter together with Control, such as `d`.
    case control(Character)
    case enter, escape, tab, backTab, backspace, delete
    case up, down, left, right, pageUp, pageDown, home, end
    /// Text from the clipboard, which is never a command.
    case paste(String)
    /// A click on the screen, counted from 0; only in programs that use the mouse.
    case click(row: Int, column: Int)
    case scrollUp, scrollDown
}
