import Foundation
import TerminalProgram

/// A reason that a file cannot be a note's picture.
enum PictureError: Error, CustomStringConvertible {
    case missing(URL)
    case notAFile(URL)
    case unreadable(URL, any Error)
    case notAPicture(URL)
    case damaged(URL, PictureFormat)

    var description: String {
        switch self {
        case .missing(let file): "There is no file \(file.path.printable)."
        case .notAFile(let file): "\(file.path.printable) is not a file."
        case .unreadable(let file, let error):
            "\(file.path.printable) cannot be read: \(error.localizedDescription)"
        case .notAPicture(let file): "\(file.path.printable) is not a picture: it must be a JPEG or PNG file."
        case .damaged(let file, let format):
            "\(file.path.printable) is damaged: it begins as a \(format.rawValue) file, but lacks the size of the picture."
        }
    }
}
