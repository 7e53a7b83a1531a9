import Foundation

/// Where a program's store is when nobody says so.
enum StoreFolder {
    /// The user's own folder for a program.
    static func `default`(for program: String) -> URL {
        #if os(macOS)
        URL.applicationSupportDirectory.appending(path: program)
        #else
        dataHome.appending(path: program)
        #endif
    }

    /// The user's folder for data, as freedesktop.org defines it: a relative path does not count.
    private static var dataHome: URL {
        if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return home.appending(path: ".local/share")
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
