#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Switches the terminal between the mode of a shell and that of a full-screen program or of a prompt.
///
/// Signal handlers call all of these functions, so they use only functions that POSIX allows there, and allocate no
/// memory.
enum TerminalMode {
    /// The use of the terminal outside of the shell's mode.
    enum Use {
        /// The terminal's own selection of text needs Shift with the mouse.
        case fullScreen(mouse: Bool)
        /// A prompt whose line is edited.
        case line
    }

    // Unchecked, and safe: all four are written by `prepare` alone, before any signal handler is installed.
    private nonisolated(unsafe) static var shellMode = termios()
    private nonisolated(unsafe) static var programMode = termios()
    private nonisolated(unsafe) static var isPrepared = false
    private nonisolated(unsafe) static var use = Use.line

    // Unchecked, and safe: a byte that is read and written whole. At worst, a race restores the terminal twice.
    private nonisolated(unsafe) static var isActive = false

    /// Another screen than the shell's, line wrapping off, marks around pasted text.
    private static let enterCodes: StaticString = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J"

    /// Reports of clicks and of the wheel, in the form that has no largest column.
    private static let enterMouseCodes: StaticString = "\u{1B}[?1000h\u{1B}[?1006h"
    private static let leaveMouseCodes: StaticString = "\u{1B}[?1006l\u{1B}[?1000l"

    /// Plain text, marks off, line wrapping on, the cursor visible, the shell's screen.
    private static let leaveCodes: StaticString = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Marks around pasted text.
    private static let enterLineCodes: StaticString = "\u{1B}[?2004h"
    private static let leaveLineCodes: StaticString = "\u{1B}[?2004l"

    /// Stores the mode of the shell.
    ///
    /// - Returns: Whether the input is a terminal whose mode can be changed.
    static func prepare(for use: Use) -> Bool {
        guard tcgetattr(STDIN_FILENO, &shellMode) == 0 else { return false }
        programMode = shellMode
        // Keys arrive one by one and are not shown.
        programMode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        programMode.c_iflag &= ~tcflag_t(IXON | ICRNL)
        // Control-C clears the line of a prompt. On a full screen, Control-C and Control-Z stay signals, so that they work
        // while the program is busy.
        if case .line = use { programMode.c_lflag &= ~tcflag_t(ISIG) }
        self.use = use
        isPrepared = true
        return true
    }

    /// Begins the mode of the program.
    static func enter() {
        guard isPrepared else { return }
        isActive = true
        tcsetattr(STDIN_FILENO, TCSANOW, &programMode)
        guard case .fullScreen(let mouse) = use else { return write(enterLineCodes) }
        write(enterCodes)
        if mouse { write(enterMouseCodes) }
    }

    /// Goes back to the mode of the shell.
    static func leave() {
        guard isPrepared, isActive else { return }
        isActive = false
        if case .fullScreen(let mouse) = use {
            if mouse { write(leaveMouseCodes) }
            write(leaveCodes)
        } else {
            write(leaveLineCodes)
        }
        tcsetattr(STDIN_FILENO, TCSANOW, &shellMode)
    }

    private static func write(_ codes: StaticString) {
        #if canImport(Glibc)
        _ = Glibc.write(STDOUT_FILENO, codes.utf8Start, codes.utf8CodeUnitCount)
        #elseif canImport(Musl)
        _ = Musl.write(STDOUT_FILENO, codes.utf8Start, codes.utf8CodeUnitCount)
        #else
        _ = Darwin.write(STDOUT_FILENO, codes.utf8Start, codes.utf8CodeUnitCount)
        #endif
    }
}
