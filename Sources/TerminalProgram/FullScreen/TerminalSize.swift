#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The size of a terminal, in characters.
package struct TerminalSize: Sendable, Equatable {
    package var rows: Int
    package var columns: Int

    /// Creates a size.
    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }

    /// The size of the output's terminal; `nil` if the output is not a terminal, or its size is unknown.
    package static var current: TerminalSize? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return nil }
        return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
    }
}
