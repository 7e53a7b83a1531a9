#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Switches the terminal between the mode of a shell and the mode of a full-screen program.
///
/// Signal handlers call all of these functions, so they use only functions that POSIX allows there, and allocate no
/// memory.
enum TerminalMode {
    // Unchecked, and safe: all four are written by `prepare()` alone, before any signal handler is installed.
    private nonisolated(unsafe) static var shellMode = termios()
    private nonisolated(unsafe) static var screenMode = termios()
    private nonisolated(unsafe) static var isPrepared = false
    private nonisolated(unsafe) static var usesMouse = false

    // Unchecked, and safe: a byte that is read and written whole. At worst, a race restores the terminal twice.
    private nonisolated(unsafe) static var isFullScreen = false

    /// Another screen than the shell's, line wrapping off, marks around pasted text.
    private static let enterCodes: StaticString = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J"

    /// Reports of clicks and of the wheel, in the form that has no largest column.
    private static let enterMouseCodes: StaticString = "\u{1B}[?1000h\u{1B}[?1006h"
    private static let leaveMouseCodes: StaticString = "\u{1B}[?1006l\u{1B}[?1000l"

    /// Plain text, marks off, line wrapping on, the cursor visible, the shell's screen.
    private static let leaveCodes: StaticString = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Stores the mode of the shell.
    ///
    /// - Parameter mouse: Whether the program uses the mouse. The terminal's own selection of text then needs Shift.
    /// - Returns: Whether the input is a terminal whose mode can be changed.
    static func prepare(mouse: Bool) -> Bool {
        guard tcgetattr(STDIN_FILENO, &shellMode) == 0 else { return false }
        screenMode = shellMode
        // Keys arrive one by one and are not shown. Control-C and Control-Z stay signals, so they work while the program is busy.
        screenMode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        screenMode.c_iflag &= ~tcflag_t(IXON | ICRNL)
        usesMouse = mouse
        isPrepared = true
        return true
    }

    /// Begins the mode of a full-screen program.
    static func enter() {
        guard isPrepared else { return }
        isFullScreen = true
        tcsetattr(STDIN_FILENO, TCSANOW, &screenMode)
        write(enterCodes)
        if usesMouse { write(enterMouseCodes) }
    }

    /// Goes back to the mode of the shell.
    static func leave() {
        guard isPrepared, isFullScreen else { return }
        isFullScreen = false
        if usesMouse { write(leaveMouseCodes) }
        write(leaveCodes)
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
