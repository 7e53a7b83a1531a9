package import Foundation

/// The default folders of a program.
package enum StoreFolder {
    /// The user's own folder for a program's data.
    static func `default`(for program: String) -> URL {
        #if os(macOS)
        URL.applicationSupportDirectory.appending(path: program)
        #else
        folder("XDG_DATA_HOME", otherwise: ".local/share").appending(path: program)
        #endif
    }

    /// The user's own folder for data that a program can fetch again.
    package static func cache(for program: String) -> URL {
        #if os(macOS)
        URL.cachesDirectory.appending(path: program)
        #else
        folder("XDG_CACHE_HOME", otherwise: ".cache").appending(path: program)
        #endif
    }

    /// The user's own folder for work that a program continues later.
    package static func state(for program: String) -> URL {
        #if os(macOS)
        URL.applicationSupportDirectory.appending(path: program)
        #else
        folder("XDG_STATE_HOME", otherwise: ".local/state").appending(path: program)
        #endif
    }

    /// A folder of the user, as freedesktop.org defines it: a relative path is ignored.
    private static func folder(_ variable: String, otherwise path: String) -> URL {
        if let path = ProcessInfo.processInfo.environment[variable], path.hasPrefix("/") {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return home.appending(path: path)
    }

    /// The user's home, which the shell defines on Linux.
    fileprivate static var home: URL {
        if let path = ProcessInfo.processInfo.environment["HOME"], path.hasPrefix("/") {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return .homeDirectory
    }
}

extension String {
    /// A path for display, with `~` for the user's home.
    package var abbreviatingHome: String {
        let home = StoreFolder.home.path
        return hasPrefix(home + "/") ? "~" + dropFirst(home.count) : self
    }

    /// The path for typed text that may begin with `~` for the user's home.
    package var expandingHome: String {
        self == "~" || hasPrefix("~/") ? StoreFolder.home.path + dropFirst() : self
    }
}
