package import Foundation

/// The default folders of a program.
package enum StoreFolder {
    /// The user's own folder for a program's data.
    static func `default`(for program: String) -> URL {
        folder("XDG_DATA_HOME", ".local/share", apple: .applicationSupportDirectory, program)
    }

    /// The user's own folder for data that a program can fetch again.
    package static func cache(for program: String) -> URL {
        folder("XDG_CACHE_HOME", ".cache", apple: .cachesDirectory, program)
    }

    /// The user's own folder for work that a program continues later.
    package static func state(for program: String) -> URL {
        folder("XDG_STATE_HOME", ".local/state", apple: .applicationSupportDirectory, program)
    }

    /// A program's folder in one of the user's: that of macOS, or one that freedesktop.org defines, where a relative path is ignored.
    private static func folder(
        _ variable: String, _ path: String, apple: FileManager.SearchPathDirectory, _ program: String
    ) -> URL {
        #if os(macOS)
        let base = FileManager.default.urls(for: apple, in: .userDomainMask).first
        #else
        let base = ProcessInfo.processInfo.environment[variable].flatMap { path in
            path.hasPrefix("/") ? URL(filePath: path, directoryHint: .isDirectory) : nil
        }
        #endif
        return (base ?? home.appending(path: path)).appending(path: program)
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
