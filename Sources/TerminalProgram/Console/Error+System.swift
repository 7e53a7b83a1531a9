import Foundation

extension Error {
    /// The system's reason for the failure of a file, such as "No space left on device"; `nil` for another error.
    package var systemReason: String? {
        guard let cause = (self as NSError).userInfo[NSUnderlyingErrorKey] as? any Error,
            (cause as NSError).domain == NSPOSIXErrorDomain
        else { return nil }
        return String(cString: strerror(Int32((cause as NSError).code)))
    }

    /// The description for a person: the file and the system's reason, because Foundation names neither.
    package var fileDescription: String {
        guard let systemReason else { return localizedDescription }
        let details = (self as NSError).userInfo
        let path = details[NSFilePathErrorKey] as? String ?? (details[NSURLErrorKey] as? URL)?.path
        return path.map { "\($0.printable): \(systemReason)." } ?? "\(systemReason)."
    }
}
