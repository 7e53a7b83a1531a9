package import Foundation

/// Where a program keeps things when nobody says so.
package enum StoreFolder {
    /// The user's own folder for what a program keeps.
    static func `default`(for program: String) -> URL {
        #if os(macOS)
        URL.applicationSupportDirectory.appending(path: program)
        #else
        folder("XDG_DATA_HOME", otherwise: ".local/share").appending(path: program)
        #endif
    }

    /// The user's own folder for what a program can fetch again.
    package static func cache(for program: String) -> URL {
        #if os(macOS)
        URL.cachesDirectory.appending(path: program)
        #else
        folder("XDG_CACHE_HOME", otherwise: ".cache").appending(path: program)
        #endif
    }

    /// A folder of the user's, as freedesktop.org defines it: a relative path does not count.
    private static func folder(_ variable: String, otherwise path: String) -> URL {
        if let path = ProcessInfo.processInfo.environment[variable], path.hasPrefix("/") {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return home.appending(path: path)
    }

    /// The user's home, which on Linux is what the shell says it is.
    fileprivate static var home: URL {
        if let path = ProcessInfo.processInfo.environment["HOME"], path.hasPrefix("/") {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return .homeDirectory
    }
}

extension String {
    /// A path as a person writes it, with `~` for the user's home.
    package var abbreviatingHome: String {
        let home = StoreFolder.home.path
        return hasPrefix(home + "/") ? "~" + dropFirst(home.count) : self
    }

    /// The path that a person means who writes `~` for the own home.
    package var expandingHome: String {
        self == "~" || hasPrefix("~/") ? StoreFolder.home.path + dropFirst() : self
    }
}
